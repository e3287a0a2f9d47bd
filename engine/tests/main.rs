//! All tests of the engine from outside, in one program: that builds far faster than one for each file.
//!
//! `cargo test --workspace --test engine FILE` runs those of one file.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::format_collect,
    clippy::format_push_string,
    clippy::panic,
    reason = "a test stops where it finds something wrong, and reads files and the environment"
)]

mod support;

mod adversary;
mod alike;
mod broken_off;
mod channels;
mod channels_layouts;
mod channels_repeats;
mod country_rules;
mod detect_addresses;
mod detect_busy;
mod detect_cases;
mod detect_commands;
mod detect_files;
mod detect_generated;
mod detect_ids;
mod detect_keys;
mod detect_long;
mod detect_marked;
mod detect_named;
mod detect_numbers;
mod detect_overlooked;
mod detect_own;
mod detect_public;
mod detect_secrets;
mod detect_shapes;
mod detect_surroundings;
mod detect_tables;
mod echo;
mod emphasis_and_forms;
mod field_rules;
mod findings;
mod form_rules;
mod forms;
mod forms_of_commands;
mod held_json;
mod id_rules;
mod known;
mod known_chains;
mod leaves;
mod locate;
mod mask_cases;
mod masking;
mod multipart;
mod names;
mod reply_cases;
mod reply_encodings;
mod respelled;
mod restore_as_batch;
mod restore_names;
mod restore_rules;
mod restore_text;
mod sessions;
mod shadow;
mod simulation;
mod simulation_agents;
mod simulation_places;
mod simulation_shapes;
mod spelled_in_json;
mod spellings;
mod stream_cases;
mod stream_ends;
mod stream_parts;
mod stream_shapes;
mod surrogates;
mod unread_prompts;
mod views;
mod wire_bodies;
mod wire_streams;
