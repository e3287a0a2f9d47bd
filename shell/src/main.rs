//! The native product: `maskproxy`, a proxy between LLM clients and their providers.
//!
//! A request flows `server → exchange → upstream`, and its reply back the same way. What is masked and
//! restored, the engine decides, which `exchange` calls.

#![forbid(unsafe_code)]

mod accompanied;
mod audit;
mod cli;
mod clock;
mod config;
mod contained;
mod detector;
mod duration;
mod error;
mod exchange;
mod findings;
mod log;
mod metrics;
mod quoted;
mod random;
mod reason;
mod reasons;
mod server;
mod session;
mod spool;
mod system;
mod traces;
mod upstream;
mod vault;

use std::process::ExitCode;

fn main() -> ExitCode {
    contained::report_panics_by_place();
    cli::run()
}
