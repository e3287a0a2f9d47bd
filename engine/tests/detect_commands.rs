//! Passwords among the arguments of commands, and private keys that are written in parts or cut off. Each beside what
//! looks like it and is none.

#[path = "support/marked.rs"]
mod marked;

use marked::check;

#[test]
fn passwords_among_the_arguments_of_commands() {
    check(&[
        "htpasswd -b .htpasswd bob ⟦oTWUKGHWvE⟧",
        "htpasswd -nb bob '⟦Falcon@2024⟧'",
        "net user bob ⟦Monkey87!⟧ /add",
        "sqlplus scott/⟦vz5fUj9XGdli⟧@//db:1521/ORCL",
        "expdp system/⟦aEkpsWW5hJZ7⟧@orcl schemas=hr",
        "xfreerdp /u:bob /p:⟦ICr5nU8Foeab⟧ /v:srv",
        "snmpwalk -v3 -u mon -a SHA -A ⟦PF7pcNH1WbpX⟧ -x AES -X ⟦hjk2gCuuCXoB⟧ sw1",
        "echo '⟦Uwd0lG2lzBRI!⟧' | docker login -u bob --password-stdin",
        "echo ⟦forest8553⟧ | sudo -S apt update",
        "echo \"root:⟦6iSV4va5LGOd⟧\" | chpasswd",
        "echo '⟦Uwd0lG2lzBRI!⟧' | docker login -u bob --password-stdin; echo \"bob:⟦6iSV4va5LGOd⟧\" | sudo chpasswd",
        "echo \"$USER:⟦S3cr3tPw9⟧\" | sudo -S tee /tmp/x | sudo chpasswd",
        "echo \"$PASSWORD\" | docker login -u bob --password-stdin",
        "net user bob /add\nnet user bob /active:no\ndotnet user add\nsqlplus / as sysdba\nsqlplus /nolog\n",
        "htpasswd -b $FILE $USER $PASSWORD",
    ]);
}

/// What is written into a pipe was once looked for 10 KB before it only.
#[test]
fn a_long_password_that_is_piped_into_a_command() {
    let password = "Uwd0lG2lzBRI".repeat(1_200);
    check(&[&format!(
        "echo '⟦{password}⟧' | docker login -u bob --password-stdin"
    )]);
}

#[test]
fn keys_in_parts() {
    check(&[
        "Public-Lines: 1\nAAAAC3NzaC1lZDI1NTE5\nPrivate-Lines: 2\n⟦AAAAIKp2tHjQGQn5lYz0i8CtLwE1kS6b0zRkQm2xY7pOa9Uf\n3sTnqLs0vWc=⟧\nPrivate-MAC: 12\n",
        "⟦RsNq8c3o0u/W8g1RDvwB1AcVb3hW0q1WSnxIfAczZdKMk7X3\nEtKYcamuMyAAM03XzJS9wVmVz2gLJJPy==\n-----END PRIVATE KEY-----⟧\n",
        "RsNq8c3o0u/W8g1RDvwB1AcVb3hW0q1WSnxIfAczZdKMk7X3\nEtKYcamuMyAAM03XzJS9wVmVz2gLJJPy==\n-----END CERTIFICATE-----\n",
        "A block ends with -----END PRIVATE KEY----- in text.",
    ]);
}
