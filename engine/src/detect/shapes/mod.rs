//! Values that are identified by their own shape, or by a word next to them.

pub(super) mod address;
mod context;
pub(super) mod country;
mod date;
pub(super) mod email;
pub(super) mod hl7;
pub(super) mod ids;
pub(super) mod ipv6;
pub(super) mod jwk;
pub(super) mod jwt;
mod key;
pub(super) mod number;
pub(super) mod pem;
mod prefix;
pub(super) mod url;
pub(super) mod vendor;
mod wallet;
