//! Helpers without knowledge of the product, for every other module.

pub(crate) mod clock;
pub(crate) mod duration;
pub(crate) mod io_error;
pub(crate) mod json_string;
pub(crate) mod observed_stream;
pub(crate) mod panics;
pub(crate) mod random;
pub(crate) mod spool;
