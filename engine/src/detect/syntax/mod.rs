//! Forms in which a name has a value: assignments, arguments, headers, tables and sentences.

pub(super) mod arguments;
pub(super) mod assigned;
pub(super) mod authorization;
pub(super) mod call;
pub(super) mod command_line;
pub(super) mod forms;
pub(super) mod manifest;
pub(super) mod pgpass;
pub(super) mod table;
