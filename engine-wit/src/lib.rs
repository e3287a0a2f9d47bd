//! The engine as a WebAssembly component: what `wit/` describes, a thin guest.
//!
//! ```text
//! exchange ─► settings          a configuration, compiled
//!    └──────► detections        what is found, inside and outside
//! ```

mod detections;
mod exchange;
mod settings;

#[expect(clippy::pedantic, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ world: "masking", path: "../wit" });
}

/// What the component exports.
struct Component;

// The names of these exports are not valid for a native linker.
#[cfg(target_arch = "wasm32")]
bindings::export!(Component with_types_in bindings);
