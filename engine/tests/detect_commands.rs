//! Passwords among the arguments of commands, and private keys that are written in parts or cut off. Each beside what
//! looks like it and is none.

#[path = "support/marked.rs"]
mod marked;

use marked::check;

/// What is written into a pipe was once looked for 10 KB before it only.
#[test]
fn a_long_password_that_is_piped_into_a_command() {
    let password = "Uwd0lG2lzBRI".repeat(1_200);
    check(&[&format!(
        "echo '⟦{password}⟧' | docker login -u bob --password-stdin"
    )]);
}
