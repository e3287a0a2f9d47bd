//! Secrets and numbers in table columns, in every table syntax.

use crate::support::found;
use crate::support::marked;

use found::found;
use marked::check;

#[test]
fn an_odd_row_does_not_end_a_table() {
    let long = "x".repeat(5000);
    let long = format!("user,note,password\na,{long},⟦Sunset22!a⟧\nb,x,⟦Sunset22!b⟧\n");
    check(&[
        "user,password\na,⟦Sunset22!a⟧\nb,⟦Sunset22!b⟧,\nc,⟦Sunset22!c⟧\n",
        "user,password\na,⟦Sunset22!a⟧\nSmith, Bob,⟦Sunset22!b⟧\nc,⟦Sunset22!c⟧\n",
        "user,password\na,⟦Sunset22!a⟧\n\nc,⟦Sunset22!c⟧\n",
        "user,password\n# the first\na,⟦Sunset22!a⟧\n# the second\nc,⟦Sunset22!c⟧\n",
        "user,note,password\na,\"two\nlines\",⟦Sunset22!a⟧\nc,x,⟦Sunset22!c⟧\n",
        "user,note,password\na,\"inch,⟦Sunset22!a⟧\nc,x,⟦Sunset22!c⟧\n",
        &long,
        "INSERT INTO u (n, password, at) VALUES ('a','⟦Sunset22!a⟧',NOW()), ('b','⟦Sunset22!b⟧',NOW());",
        "INSERT INTO u (n, password) VALUES ('it''s (me)','⟦Sunset22!a⟧'), ('b\\'c','⟦Sunset22!b⟧');",
        "| user | password |\n|---|---|\n| a \\| b | ⟦Sunset22!a⟧ |\n| c | ⟦Sunset22!c⟧\n",
        "user,password\n#1\n#2\n#3\n#4\n#5\na,⟦Sunset22!a⟧\n",
        "user;password;note\na;⟦Sunset22!a⟧\nb;⟦Sunset22!b⟧;x;y\n",
        "INSERT INTO u (n, password) VALUES ('a','⟦Sunset22!a⟧'),\n  -- the second\n  ('b','⟦Sunset22!b⟧');",
        // A second table below the first.
        "user,password\na,⟦Sunset22!a⟧\n\npassword,host\n⟦Sunset22!b⟧,db-host1\n",
        "| user | password |\n|---|---|\n| a | ⟦Sunset22!a⟧ |\n\n| user | host |\n|---|---|\n| a | db-host1 |\n",
        "user,password\na,⟦Sunset22!a⟧\n\nThe list ends here, and there are 2 users.\n",
    ]);
}

/// A statement was once assumed to continue to the end of the text, and everything after the third
/// one was skipped.
#[test]
fn every_one_of_many_sql_statements_is_read() {
    let statement =
        "INSERT INTO u (n, password) VALUES ('a','⟦Sunset22!a⟧'),\n('b','⟦Sunset22!b⟧');\n";
    let users = "INSERT INTO u (n, phone) VALUES ('a','⟦2127365001⟧');\n";
    check(&[&statement.repeat(9), &users.repeat(9)]);
}

#[test]
fn a_harmless_cell_of_a_header_does_not_discard_the_table() {
    for other in [
        "last login (UTC)",
        "login/url",
        "2fa?",
        "5",
        "when it was changed",
        "#",
        "e-mail @ work",
    ] {
        let text = format!("user,password,{other}\nbob,⟦Sunset22!a⟧,x\nann,⟦Sunset22!b⟧,y\n");
        check(&[&text]);
    }
    check(&[
        "| User | Password\n|---|---\n| bob | ⟦Sunset22!a⟧\n",
        "user,password,\nbob,⟦Sunset22!a⟧,\nann,⟦Sunset22!b⟧,\n",
        "pass\n⟦Sunset22!a⟧\n",
        "wifi: pass\n⟦Sunset22!a⟧\n",
        "| # | User | Password |\n|---|---|---|\n| 1 | bob | ⟦Sunset22!a⟧ |\n",
        "| User | **Password** |\n|---|---|\n| bob | ⟦Sunset22!a⟧ |\n",
        "| User | Password (plain) |\n|---|---|\n| bob | ⟦Sunset22!a⟧ |\n",
        "     1\tuser,password\n     2\tbob,⟦Sunset22!a⟧\n     3\tann,⟦Sunset22!b⟧\n",
        "     1\tpassword,user\n     2\t⟦Sunset22!a⟧,bob\n     3\t⟦Sunset22!b⟧,ann\n",
        "     1→password,user\n     2→⟦Sunset22!a⟧,bob\n     3→⟦Sunset22!b⟧,ann\n",
        "> user,password\n> bob,⟦Sunset22!a⟧\n> ann,⟦Sunset22!b⟧\n",
        "> password,user\n> ⟦Sunset22!a⟧,bob\n> ⟦Sunset22!b⟧,ann\n",
        "+password,user\n+⟦Sunset22!a⟧,bob\n+⟦Sunset22!b⟧,ann\n",
    ]);
}

#[test]
fn numbers_have_the_type_of_their_column() {
    let text = "id,userSSN,phoneNumber\n1,536221234,2127365001\n";
    let expected = [
        ("SSN".to_owned(), "536221234"),
        ("PHONE".to_owned(), "2127365001"),
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn phone_columns_are_recognized_in_many_languages() {
    for head in [
        "tel",
        "Teléfono",
        "Móvil",
        "cellulare",
        "celular",
        "téléphone",
    ] {
        let text = format!("id;{head};note\n1;644127788;x\n");
        assert_eq!(found(&text), [("PHONE".to_owned(), "644127788")], "{text}");
    }
}

/// Only Markdown's and drawn tables were read, and columns that are aligned below capitals.
#[test]
fn tables_of_wikis_and_trackers_and_aligned_columns() {
    check(&[
        "||Host||User||Password||\n|db1|bob|⟦Sunset22!a⟧|\n|db2|ann|⟦Sunset22!b⟧|\n",
        "{| class=\"wikitable\"\n! Host !! User !! Password\n|-\n| db1 || bob || ⟦Sunset22!a⟧\n|-\n| db2 || ann || ⟦Sunset22!b⟧\n|}\n",
        "{|\n! Host\n! Password\n|-\n| db1\n| style=\"color: red\" | ⟦Sunset22!a⟧\n|}\n",
        "{|\n! Token !! Meaning\n|-\n| EOF || end of file\n|}\n",
        "host       user     password\ndb-host1   bob      ⟦Sunset22!a⟧\ndb-host2   ann      ⟦Sunset22!b⟧\n",
        "login    passwd   su\nmkdir    mount    tar\n",
        "Key                 Value\n---                 -----\ndb_password         ⟦Orchid-Lamp-5⟧\ndb_user             app\n",
        "app_secret_key\t⟦a75ZwzxAor0jxyB73BP2Z2AIcrB5iQYH⟧\ndb_password\t⟦Hunter-77x⟧\n",
    ]);
}
