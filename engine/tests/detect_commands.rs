//! Passwords in command arguments, private keys in parts or cut off, and lookalikes of each.

use crate::support::marked;

use marked::check;

/// What is written into a pipe was once searched for only in the 10 KB before it.
#[test]
fn long_passwords_piped_into_a_command_are_found() {
    let password = "Uwd0lG2lzBRI".repeat(1_200);
    check(&[&format!(
        "echo '⟦{password}⟧' | docker login -u bob --password-stdin"
    )]);
}

/// What a command prints was read without the command above it.
#[test]
fn secrets_printed_by_a_command_are_found() {
    check(&[
        "$ pass show work/mail\n⟦glum7Walrus%%x⟧\nlogin: erika\n",
        "bob@host:~$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n⟦MangoStorm88⟧\n",
        "root@db:~# openssl rand -hex 12\n⟦b6a2ae5126c6692d97ba1e60⟧\n",
        // Comments and quotations are no prompts.
        "# Generate with: openssl rand -hex 32\nLEVEL=verbose2\n",
        "# openssl rand -base64 12\ndocker-compose2\n",
        "> pass show mail\nworkflow-42\n",
        "$ openssl rand -hex 32\nLEVEL=verbose2\n",
        // Without a prompt, the next line is another command.
        "pass show work/mail\nsystemctl7\n",
        "$ KEY=$(openssl rand -hex 12)\nsystemctl7\n",
        "$ pass show work/mail > out\nsystemctl7\n",
        "$ kubectl get secret db\nNAME   TYPE   DATA   AGE\n",
    ]);
}

#[test]
fn quoted_passwords_with_a_space_are_found() {
    check(&[
        "sshpass -p '⟦Harbor 42⟧' ssh bob@db",
        "sshpass -p 'enter your password 2' ssh bob@db",
    ]);
}
