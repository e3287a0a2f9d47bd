//! Passwords in command arguments, private keys in parts or cut off, and lookalikes of each.

use crate::support::marked;

use marked::check;

/// What is written into a pipe was once searched for only in the 10 KB before it.
#[test]
fn a_long_password_that_is_piped_into_a_command() {
    let password = "Uwd0lG2lzBRI".repeat(1_200);
    check(&[&format!(
        "echo '⟦{password}⟧' | docker login -u bob --password-stdin"
    )]);
}
