//! Secrets and numbers in the columns of tables, however a table is written.

#[path = "support/found.rs"]
mod found;
#[path = "support/marked.rs"]
mod marked;

use found::{found, leaves};
use marked::check;

#[test]
fn every_column_of_every_row_is_read() {
    check(&[
        "user,db_password,ftp_password,mail_password,vpn_password,note\n\
         a,⟦Sunset22!a⟧,⟦Sunset22!b⟧,⟦Sunset22!c⟧,⟦Sunset22!d⟧,x\n\
         b,⟦Marble22!a⟧,⟦Marble22!b⟧,⟦Marble22!c⟧,⟦Marble22!d⟧,x\n",
        "name,access_token,refresh_token,api_key,secret_key,password\n\
         a,⟦q7RkT2vLw9ZxB4nM6pYs⟧,⟦w8RkT2vLw9ZxB4nM6pYs⟧,⟦e9RkT2vLw9ZxB4nM6pYs⟧,⟦r1RkT2vLw9ZxB4nM6pYs⟧,⟦Sunset22!a⟧\n\
         b,⟦t2RkT2vLw9ZxB4nM6pYs⟧,⟦y3RkT2vLw9ZxB4nM6pYs⟧,⟦u4RkT2vLw9ZxB4nM6pYs⟧,⟦i5RkT2vLw9ZxB4nM6pYs⟧,⟦Sunset22!b⟧\n",
        "name,home_phone,mobile_phone,work_phone,other_phone\n\
         a,⟦2127365001⟧,⟦2127365002⟧,⟦2127365003⟧,⟦2127365004⟧\n\
         b,⟦2127365005⟧,⟦2127365006⟧,⟦2127365007⟧,⟦2127365008⟧\n",
        "| User | DB Password |\n|---|---|\n| bob | ⟦Sunset22!a⟧ |\n",
    ]);
}

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

/// Once a statement was taken to go on to the end of the text, and all behind the third one were left out.
#[test]
fn every_statement_of_many_is_read() {
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

/// Only what stands below the name of a column is one value, not the row.
#[test]
fn a_row_is_no_value() {
    leaves(&["user,password,x=1\nbob,Sunset22!a,none\n"]);
}

#[test]
fn other_columns_stay() {
    leaves(&[
        "day,mobile_views,headphone_sku,phone_id,phone_count,microphone\n\
         1,10482333,612345678,612345679,612345671,612345672\n",
        "className,businessNumber,accessNumber\n536221234,536221235,536221236\n",
        "| suite | pass | time |\n|---|---|---|\n| unit | 98.5% | 12.5s |\n| all | 120/124 | 5s |\n",
        "| Secret | Used by |\n|---|---|\n| STRIPE_KEY_V2 | billing |\n",
        "| Field | Password |\n|---|---|\n| signs | [A-Z]+ |\n| digits | \\d{4,8} |\n",
        "password, err := read()\nvalue2, err := read()\n",
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

/// Of a table with a number before each row, whose header has no name for it.
#[test]
fn the_first_heading_of_two_may_be_empty() {
    check(&["\tpassword\n0\t⟦Sunset22!a⟧\n1\t⟦Marble22!b⟧\n"]);
    leaves(&["type T struct {\n\tpassword\n\tExample22b\n}\n"]);
}
