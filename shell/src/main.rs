//! The native product: `maskproxy`, a proxy between LLM clients and their providers.
//!
//! A request flows `server → exchange → upstream`, and its reply back the same way. What is masked and
//! restored, the engine decides, which `exchange` calls.

#![forbid(unsafe_code)]

mod audit;
mod base;
mod cli;
mod config;
mod detector;
mod error;
mod exchange;
mod log;
mod metrics;
mod server;
mod session;
mod system;
mod traces;
mod upstream;
mod vault;

use std::process::ExitCode;

use base::panics;

fn main() -> ExitCode {
    panics::report_panics_by_place();
    cli::run()
}
