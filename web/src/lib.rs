//! The engine as the playground calls it, natively and in a browser: the tests compare the two.
//!
//! ```text
//! Settings ─► Playground ─► Outcome: findings, masked text
//!                               └──► Reply, which arrives in chunks
//! ```

mod outcome;
mod playground;
mod reply;
mod settings;
mod utf16;

pub use outcome::{Finding, Outcome};
pub use playground::{Form, Playground};
pub use reply::Reply;
pub use settings::{SettingsError, read, types_off};

#[cfg(target_arch = "wasm32")]
mod exports;
