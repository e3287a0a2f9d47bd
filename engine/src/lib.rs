//! The engine of maskproxy.

#![forbid(unsafe_code)]

pub mod detect;
mod entity;
mod error;
mod exchange;
mod json;
mod mask;
mod operator;
mod policy;
mod remembered;
mod restore;
mod schema;
mod sensitive;
mod session;
mod settings;
mod sse;
mod token;

pub use detect::{Detection, Detectors, Score};
pub use entity::{EntityType, InvalidEntityType};
pub use error::{Error, Side};
pub use exchange::{
    Engine, MaskSummary, Masked, MaskedBody, Request, RestoreSummary, Restorer, Restoring, Schema,
};
pub use operator::{Key, Operator};
pub use policy::Policy;
pub use remembered::{Memory, NoMemory, Recall, SignedBlock};
pub use sensitive::Sensitive;
pub use session::{Mapping, Session};
pub use settings::{Limits, Settings};
