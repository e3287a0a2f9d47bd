//! Splits a reply into its units, byte for byte: the events of a stream, or JSON values.

pub(crate) mod json_values;
pub(crate) mod sse;
