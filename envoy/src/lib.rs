//! The engine as an Envoy filter: masks the bodies of routed requests, and restores the replies as
//! they arrive.
//!
//! A thin guest: the engine decides what is masked and restored, and which paths are routed. This crate
//! tells Envoy which headers change, which bytes are forwarded, and what is refused.
//!
//! ```text
//! plugin ─► settings                the configuration, read once a worker
//!    └────► exchange ─► headers     what changes in them
//!              │  └───► refusal     what is answered instead of forwarding
//!              └──────► signed      blocks that must return as they were
//!                          └─► host calls to Envoy
//! ```

#![expect(
    missing_docs,
    reason = "the SDK's macro writes the one public function"
)]

mod counters;
mod exchange;
mod headers;
mod history;
mod host;
mod plugin;
mod refusal;
mod settings;
mod signed;

proxy_wasm::main! {{
    proxy_wasm::set_log_level(proxy_wasm::types::LogLevel::Info);
    std::panic::set_hook(Box::new(|panic| host::log_panic(panic.location())));
    proxy_wasm::set_root_context(|_| Box::new(plugin::Plugin::default()));
}}
