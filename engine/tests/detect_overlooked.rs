//! Values that rules against wrong finds once let through.

#[path = "support/marked.rs"]
mod marked;

use engine::Detectors;
use marked::check;
use std::fmt::Write as _;

#[test]
fn names_of_many_words_are_judged() {
    check(&[
        "spring.security.oauth2.client.registration.keycloak.client-secret=⟦9f8Kq2LmZx7Vb1Nc4Rt6Yw3Hd5Jg0PsA⟧\n",
        "SPRING_SECURITY_OAUTH2_CLIENT_REGISTRATION_KEYCLOAK_CLIENT_SECRET=⟦Tr0ub4dor&3x⟧\n",
        "SPRING_KAFKA_PROPERTIES_SCHEMA_REGISTRY_SSL_TRUSTSTORE_LOCATION_PASSWORD=⟦hunter2Xk⟧\n",
        "password⟦-yZZ6SlaKOayHULf0YD9sof4L⟧\n",
    ]);
}

#[test]
fn numbers_are_no_algorithms() {
    check(&[
        "DB_PASSWORD=⟦123123⟧\n",
        "password: ⟦112233⟧\n",
        "MYSQL_ROOT_PASSWORD: ⟦128128⟧\n",
        "password = \"⟦sha123⟧\"\n",
        "password: ecdsa-sha2-nistp256\n",
    ]);
}

#[test]
fn dotted_names_and_paths_of_vaults_are_no_files() {
    check(&[
        "spring.datasource.password:\n  ⟦hunter2X9!⟧\n",
        "auth/password:\n  ⟦hunter2X9!⟧\n",
        "The db.password is ⟦Xk9mQ2vL7⟧\n",
        "login/password is ⟦Xk9mQ2vL7⟧\n",
    ]);
}

#[test]
fn one_hexadecimal_group_is_no_dump() {
    check(&[
        "user 7F3D ⟦4111 1111 1111 1111⟧ paid",
        "paid ⟦4111 1111 1111 1111⟧ 4D2A",
        "paid ⟦3782 822463 10005⟧ AB12",
        "Mme Martin ⟦06 12 34 56 78⟧ Bd Victor Hugo",
        "Lot 3B ⟦06 12 34 56 78⟧",
        "PDF ⟦06 12 34 56 78⟧",
        "⟦07 98 12 33 44⟧ cc Paul",
        "0c 04 06 12 34 56 78 9a bc",
    ]);
}

#[test]
fn a_password_may_begin_with_a_slash_and_stand_before_another_word() {
    check(&[
        "mysql -u root -p⟦/Xk9mQ2vL7⟧ db",
        "sshpass -p ⟦/Xk9mQ2vL7⟧ ssh h",
        "credentials: ⟦AABbf9GRopi6qLiO⟧ / staging",
        "passwords: [\"⟦blue_sky_99⟧\",\"⟦Kq2_mZ81x⟧\"]",
        "API_KEY=⟦O6Y4109RKPT7OWPK6J_ZXCRC⟧\n",
        "user,password\nbob,⟦WINTER_24⟧\nann,⟦BLUE_SKY_99⟧\n",
        "seed_phrase=⟦9f8Kq2LmZx7Vb1Nc4Rt6Yw3Hd5Jg0PsA⟧\n",
        "rsa_key = \"⟦9f8Kq2LmZx7Vb1Nc4Rt6Yw3Hd5Jg0PsA⟧\"\n",
        "mnemonic = \"⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧\"\n",
    ]);
}

#[test]
fn addresses_and_telephones_near_other_words() {
    check(&[
        "After the upgrade, requests come from ⟦5.39.17.201⟧",
        "bumped limits; blocked traffic to ⟦31.13.24.7⟧",
        "Tel. ⟦0800-10-20⟧",
        "[⟦0612345678⟧](https://wa.me/⟦33612345678⟧)",
        "upgraded redis from 5.7.8.99 to 5.8.1.2",
    ]);
}

#[test]
fn a_network_is_found_with_its_prefix_length() {
    check(&[
        "allow ⟦10.0.0.0/8⟧, ⟦fe80::/10⟧ and ⟦::ffff:192.168.1.0/96⟧.",
        "\"cidr_blocks\": [\"⟦172.16.0.0/12⟧\", \"⟦2001:db8:12::/48⟧\"]",
        "net ⟦10.0.0.0⟧/123, ⟦10.1.2.3⟧/33, ⟦10.1.2.3⟧/24/foo, ⟦10.1.2.3⟧/24a, ⟦10.1.2.3⟧/24.5, ⟦10.1.2.3⟧/08",
        "http://⟦10.1.2.3⟧/24",
        "0.0.0.0/0 ::/0 127.0.0.1/8 127.0.0.0/8 ::1/128",
    ]);
}

#[test]
fn seed_phrases_may_be_written_in_many_ways() {
    check(&[
        "Mnemonic: ⟦Abandon Ability Able About Above Absent Absorb Abstract Absurd Abuse Access Accident⟧",
        "MNEMONIC=\"⟦ABANDON ABILITY ABLE ABOUT ABOVE ABSENT ABSORB ABSTRACT ABSURD ABUSE ACCESS ACCIDENT⟧\"",
        "mnemonic: ⟦abandon, ability, able, about, above, absent, absorb, abstract, absurd, abuse, access, accident⟧",
        "MNEMONIC=⟦abandon  ability  able  about  above  absent  absorb  abstract  absurd  abuse  access  accident⟧\nPORT=80\n",
        "seed phrase:\n⟦abandon ability able about above absent\nabsorb abstract absurd abuse access accident⟧\n\nkeep it\n",
        "My seed phrase is:\n1. ⟦abandon\n2. ability\n3. able\n4. about\n5. above\n6. absent\n7. absorb\n8. abstract\n9. absurd\n10. abuse\n11. access\n12. accident⟧\nThanks",
        "recovery phrase (12 words): ⟦abandon ability able about above absent absorb abstract absurd abuse access accident⟧.",
        "\"mnemonic\": [\"⟦abandon\", \"ability\", \"able\", \"about\", \"above\", \"absent\", \"absorb\", \"abstract\", \"absurd\", \"abuse\", \"access\", \"accident⟧\"]",
        "mnemonic: add, sub, mul, div, mov, jmp, push, pop, cmp, call, load, store",
    ]);
}

#[test]
fn words_behind_a_strong_name_do_not_free_a_generated_value() {
    check(&[
        "--password_args=⟦Tr0ub4dor&3x⟧ --secret_opts=⟦hunter2Xk9⟧",
        "password_text = \"⟦Xk9mQ2vL7!⟧\"\n",
        "password_args = args.password\npassword_options: minLength=8\n",
    ]);
}

#[test]
fn generated_tokens_with_underscores_are_no_names() {
    check(&[
        "TOKEN=⟦aB3_xY9-kL2mN4pQ⟧\n",
        "auth_token: ⟦q7_RkTvLw_9ZxB4nM⟧\n",
        "access_key = \"⟦qXv_82kLmT_pZrW9⟧\"\n",
        "api_key: ⟦XKQZP_MNBV1_QWRT2⟧\n",
        "key = SSL_CTX_set1_sigalgs_list\ntoken: CURLOPT_SSH_KEYDATA2\n",
    ]);
}

#[test]
fn passwords_that_look_like_files_or_members() {
    check(&[
        "password: ⟦4dmin64.h⟧\n",
        "password: secrets.yaml\npassword = \"sha256.h\"\n",
        "c.password=⟦CorrectHorseX!⟧\n",
        "n.pass=e.pass,n",
        "/etc/app/password:\n  ⟦hunter2X9!⟧\n",
        "The secret in /run/secrets/db_password is ⟦Xk9mQ2vL7⟧\n",
        "see /etc/passwd for user1234 and /usr/share/doc/password v1.2.3-rc4",
    ]);
}

#[test]
fn keys_in_other_spellings() {
    check(&[
        "let secret = hex!(\"⟦9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08⟧\");",
        "my_patA ⟦k3Zt9QwX7bLmP2vN8sRt⟧",
        "hashSalt: \"⟦k3Zt9QwX7bLmP2vN8sRt⟧\"\n",
        "{\"mfaSeed\": \"⟦JBSWY3DPEHPK3PXPJBSW⟧\"}",
        "{\"kty\":\"oct\",\"k\":\"⟦GawgguFyGrWKav7AX4VKUgzzZkQ3Zt9QwX7bLmP2vN8⟧\",\"kid\":\"a\"}",
        "{\\\"d\\\": \\\"⟦Kt9QwX7bLmP2vN8Gawgg_FyGrWKav7AX4VK⟧\\\", \\\"kty\\\": \\\"EC\\\"}",
        "{'kty': 'RSA', 'e': 'AQAB', 'dp': '⟦Kt9QwX7bLmP2vN8Gawgg_FyGrWKav7AX4VK⟧'}",
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"PTTjIY84aLtaZCxLTrG_d8I0G6YKCV7lg8M4xkKfwQ4\",\"y\":\"ank6KA34vv24HZLXlChVs85NEGlpg2sbqNmR_BcgyJU\"}",
        // Of RFC 7517.
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE\"}",
        "Authorization: Bearer my-secret-token\nmysql --password=x\n",
    ]);
}

#[test]
fn names_in_sentences_without_spaces() {
    check(&[
        "昨天我们把数据库服务器的登录方式改了一下现在数据库的密码是⟦Sunset22!x⟧。",
        "我的密码：⟦Sunset22!x⟧，请保密",
        "新しいデータベースのログイン用パスワードは⟦Sunset22!x⟧です。",
        "비밀번호는 ⟦Sunset22!x⟧ 입니다",
    ]);
}

#[test]
fn headers_of_ruled_tables_may_hold_signs() {
    check(&[
        "| User | Password<br>(temp) |\n|---|---|\n| bob | ⟦Xk9mQ2vL7!⟧ |\n",
        "| user={name} | password |\n|---|---|\n| bob | ⟦Xk9mQ2vL7!⟧ |\n",
    ]);
}

#[test]
fn properties_calls_and_commands_that_hold_a_password() {
    check(&[
        "public string Password { get; set; } = \"⟦cs-Pw-77⟧\";",
        "password: str = Field(default=\"⟦py-Pw-77⟧\")\n",
        "hibernate.connection.password ⟦Zug-Spitze-2962⟧\n",
        "Server=h;User ID=sa;Password=⟦Cs-Px 77⟧;Encrypt=true",
        "CREATE DATABASE LINK l CONNECT TO scott IDENTIFIED BY ⟦t1ger9x⟧ USING 'x';",
        "jdbc:oracle:thin:scott/⟦t1ger-X⟧@//db:1521/orcl",
        "jdbc:oracle:thin:@db:1521/orcl",
        "server.login('bob', '⟦sm7p-Pw⟧')\nclient.login(\"username\", \"password\")",
        "req.SetBasicAuth(\"bob\", \"⟦g0-Pw-77⟧\")",
        "smtp.PlainAuth(\"\", \"bob\", \"⟦g0-Pw-77⟧\", \"mail.x.io\")",
        "htpasswd -bc .htpasswd bob ⟦hu!Hu99⟧",
        "mongosh -u root -p ⟦m0ngo-Pw⟧ --authenticationDatabase admin",
        "rabbitmqctl add_user bob ⟦r4bbit-Pw⟧",
        "bcp db..t out f -U sa -P ⟦bcp-Pw-77⟧",
        "useradd -p '⟦$6$k2Vb9Xq1$Zr4nT8wLmC3yHs6KpQ0vJd7F⟧' bob",
        "enable secret 5 ⟦$1$mERr$hx5rVt7rPNoS4wqbXKX7m0⟧\nusername admin password 0 ⟦c1sc0-Us⟧\n",
        "snmp-server community ⟦s3cr3tRO⟧ RO\nsnmp-server community public RO",
        "<wsse:Password Type=\"x#PasswordText\">⟦ws-Pw-77⟧</wsse:Password>",
        "PresharedKey = ⟦/UwcSPg38hW/D9Y3tcS1FOV0K1wuURMbS0sesJEP5ak=⟧\n",
        "curl_setopt($ch, CURLOPT_USERPWD, \"⟦bob:Qu1ck-Fox⟧\");",
        "keytool -storepass ⟦st0re-Pw⟧ -keypass ⟦k3y-Pw99⟧",
        "root:⟦$6$k2Vb9Xq1$Zr4nT8wLmC3yHs6KpQ0vJd7FgA5uEiNxO1zRtYb2WcMhUe9DkSl3Vq6⟧:19000:0:99999:7:::",
    ]);
}

#[test]
fn numbers_that_let_in() {
    check(&[
        "{\"pin\": \"⟦4829⟧\"}\nuser_pin = ⟦482911⟧\n",
        "Die PIN lautet ⟦4829⟧",
        "{\"otp\":\"⟦482913⟧\"}",
        "pw = ⟦t00r-Pw⟧\n",
        "gpio pin 4829 high, \"shipping\": \"12345\", \"spin\": 10000",
    ]);
}

#[test]
fn addresses_with_a_quoted_name_and_telephones_beside_one_number() {
    check(&["say ⟦\"john doe\"@firma.de⟧ now", "Bob 34 ⟦415 632 2671⟧"]);
}

#[test]
fn passwords_said_in_more_languages_and_signs() {
    check(&[
        "Password：⟦Xk9!mQ2v⟧",
        "Password—⟦Xk9!mQ2v⟧",
        "Password - ⟦Xk9!mQ2v⟧",
        "| Password | ⟦Xk9!mQ2v⟧ |\n| Host | db1 |\n",
        "密码 ⟦Xk9mQ2v7⟧",
        "パスワードを⟦Xk9mQ2v7⟧に変更しました",
        "パスワード「⟦Xk9mQ2v7⟧」",
        "пароль ⟦Xk9mQ2v7⟧, лозинка: ⟦Xk9!mQ2v⟧",
        "كلمة المرور: ⟦Xk9!mQ2v⟧",
        "كلمة السر: ⟦Xk9!mQ2v⟧",
        "mật khẩu là ⟦Xk9!mQ2v⟧",
        "heslo je ⟦Xk9!mQ2v⟧",
        "parolă: ⟦Xk9!mQ2v⟧",
        "lozinka: ⟦Xk9!mQ2v⟧",
        "passordet er ⟦Xk9!mQ2v⟧",
        "geslo: ⟦Xk9!mQ2v⟧",
        "MDP : ⟦Xk9!mQ2v⟧",
        "Password for bob is now ⟦Xk9!mQ2v⟧",
    ]);
}

#[test]
fn values_in_brackets_on_the_next_line_and_in_other_words() {
    check(&[
        "password:\n    \"⟦hK8-zzt1⟧\"\n",
        "{\"password\":\n  \"⟦hK8-zzt1⟧\",\n \"port\": 1}",
        "password = (\n    \"⟦hK8-zzt1⟧\"\n)\n",
        "password = [\"⟦hK8-zzt1⟧\"]\n",
        "password = str(\"⟦hK8-zzt1⟧\")\n",
        "password = process.env.PW ?? \"⟦hK8-zzt1⟧\"\n",
        "password = x if x else \"⟦hK8-zzt1⟧\"\n",
        "password = cond ? \"⟦hK8-zzt1⟧\" : null;\n",
        "password.equals(\"⟦hK8-zzt1⟧\")",
        "user.setPassword(encoder.encode(\"⟦hK8-zzt1⟧\"));",
        "bcrypt.hash(\"⟦hK8-zzt1⟧\", 10)",
        "When I fill in \"password\" with \"⟦hK8-zzt1⟧\"",
        "bindpw ⟦hK8-zzt1⟧\nrootpw ⟦hK8-zzt1⟧\nssl_key_password ⟦hK8-zzt1⟧;\nsetx DB_PASSWORD ⟦hK8-zzt1⟧\n",
        "\u{1b}[31mpassword=⟦hK8-zzt1⟧\u{1b}[0m",
        "let key = hex!(\"9f86d081884c7d659a2feaa0c55ad015\");\n",
        "'RawTokenFormatter': ('pygments.formatters.other', 'Raw tokens')",
    ]);
}

#[test]
fn an_alternative_stands_beside_the_value() {
    check(&[
        "password = ⟦Tr0ub4dor3⟧ # or \"x1\" on staging\n",
        "db_password = ⟦Xk9mQ2v7Lp!⟧  # \"a\" or \"b\"\n",
        "password = ⟦Xk9mQ2v7Lp!⟧ || \"none\"\n",
        "password = ⟦Xk9mQ2v7Lp!⟧, user = a or \"b\"\n",
        "password = ⟦Xk9mQ2v7Lp!⟧ || \"⟦hK8-zzt1⟧\"\n",
    ]);
}

#[test]
fn a_stroke_in_a_generated_password_ends_nothing() {
    check(&[
        "secret: ⟦SIb*ktC|_D=!nPRC⟧\n",
        "Пароль\n⟦Zj94$Sj|z=#nEh#X⟧\n",
        "PASSWORD=⟦Tr0ub4|dor=3x⟧\n",
        "pw: ⟦abc|def9=Xq⟧\n",
        "password=⟦hK8-zzt1|user=bob⟧\n",
    ]);
}

#[test]
fn a_passphrase_may_stand_in_backticks() {
    check(&[
        "const password=`⟦correct horse battery 9!⟧`\n",
        "PASSWORD=`⟦echo Xk9mQ2v7Lp!⟧`\n",
    ]);
}

#[test]
fn headers_of_tables_without_a_rule_may_hold_signs() {
    check(&[
        "| # | password |\n| 1 | ⟦Xk9mQ2v7⟧ |\n",
        "| user | 2FA? | password |\n| bob | yes | ⟦Xk9mQ2v7⟧ |\n",
        "|Host/IP|password|\n|10.1.2.x|⟦Xk9mQ2v7Lp!⟧|\n",
    ]);
}

#[test]
fn a_telephone_beside_a_postal_code_or_an_id() {
    check(&[
        "New York, NY 10001 ⟦212 555 0187⟧",
        "Suite 400 ⟦212 555 0187⟧",
        "1001 ⟦212 555 0187⟧ 94107",
        "bob 2024 ⟦212 555 0187⟧",
        "100 ⟦212 555 0187⟧",
    ]);
}

#[test]
fn a_seed_phrase_ends_with_its_quote() {
    check(&[
        "--mnemonic \"⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧\" start",
        "mnemonic='⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧' yarn deploy",
        "mnemonic = \"⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧\" if x else y",
        "mnemonic: ⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧  do not share",
        "mnemonic: \"⟦have winner thank year wave sausage worth useful legal winner thank yellow⟧\" or ask",
    ]);
}

#[test]
fn commands_in_commands_and_on_several_lines() {
    check(&[
        "cmd /c net user bob ⟦P@ssw0rd91⟧ /add",
        "psexec \\\\host net user bob ⟦P@ssw0rd91⟧ /add",
        "RUN net user bob ⟦P@ssw0rd91⟧ /add\n",
        "net user bob ⟦P@ssw0rd91⟧ and log in",
        "sudo rabbitmqctl add_user bob ⟦P@ssw0rd91⟧",
        "docker exec r rabbitmqctl add_user bob ⟦P@ssw0rd91⟧",
        "echo \"⟦Hunt3rsecret⟧\" | docker login -u bob \\\n  --password-stdin reg",
    ]);
}

#[test]
fn names_of_references_and_forms_of_public_values_that_passwords_share() {
    check(&[
        "existing_secret: ⟦Xk9mQ2v7Lp⟧\n",
        "{\"existing_secret\":\"⟦s3cr3tXk9mQ2v7Lp⟧\",\"a\":1}",
        "existing_client_secret=⟦Xk9mQ2v7LpTT8w⟧\n",
        "passphrase: ⟦dance-with-the-stars-often⟧\n",
        "credentials: admin / ⟦kanye-west-1⟧\n",
        "login: bob / ⟦my-north!7⟧\n",
        "password: ⟦Md5Monkey⟧\n",
        "password is ⟦Base64Fan⟧\n",
        "Modell ⟦457-55-5462⟧",
        "Skupien ⟦457-55-5462⟧",
        "Modelski, ⟦457-55-5462⟧",
    ]);
}

#[test]
fn words_up_to_a_semicolon_widen_a_value_or_leave_it() {
    check(&[
        "Endpoint=x;AccountKey=⟦Tr0ub4dor3⟧ ;Timeout=30;",
        "A=1;api_key=⟦Tr0ub4dor3⟧ and the rest;",
        "A=1;Password=⟦Tr0ub4dor3⟧ ;Timeout=30;",
        "A=1;Password=⟦Tr0ub4dor3⟧ psql -h db -U x;",
        "Server=h;User ID=sa;Password=⟦Cs-Px 77⟧;Encrypt=true",
    ]);
}

#[test]
fn pins_and_one_time_passwords_in_longer_names() {
    check(&[
        "password_otp=⟦Ab12Cd34⟧\n",
        "userPasswordOtp: \"⟦Xk9mQ2v7Lp!⟧\"\n",
        "accesskey_otp=⟦Xk9mQ2v7LpTT8w⟧\n",
        "secretpin=⟦4821⟧\n",
        "passcodepin: ⟦4821⟧\n",
        "secret_pin ⟦4821⟧\n",
        "auth_pin ⟦482913⟧\n",
        "secret-pin ⟦482913⟧\n",
    ]);
}

#[test]
fn a_name_behind_a_value_that_ends_like_a_name() {
    check(&[
        "password=a/bauth password=⟦Xk9mQ2v7Lp!⟧",
        "license key lautet cloud/oauth263 Пароль lautet ⟦Iro7YO3q0wPL⟧",
        "password=x/token password=⟦q6cfgrBnOZp+dSAUNo0rTTkau1d3Me60IxQ66Mh⟧",
    ]);
}

#[test]
fn generated_values_that_hold_a_name_end_no_table() {
    check(&[
        "| user | password |\n| bob | ⟦Xk9mQ2v7Lp!⟧ |\n\n| ann | ⟦F30NxEJJICfXG7fGdODDPwOG⟧ |\n",
        "user,password\nbob,⟦Xk9mQ2v7Lp!⟧\n\nann,⟦u/Ibwxi1sAvDENu3q1XO/9Kz5/Es8sPwEWJGO1⟧\n",
    ]);
}

#[test]
fn irregular_values_before_other_words() {
    check(&[
        "keypass := ⟦qFun9aN8VmCB⟧ and more",
        "password = ⟦qFun9aN8VmCB⟧ and more",
        "keypass.1 = ⟦z4QqDPaNOmCJ⟧, use",
    ]);
}

/// A bound once counted what was looked at in tries, so that short names used up what a long value around them had.
#[test]
fn names_within_a_long_value_are_all_looked_at() {
    let passwords: Vec<_> = (1000..1100)
        .map(|number| format!("⟦Summer{number}x⟧"))
        .collect();
    let joined = |written: &dyn Fn(&str) -> String| {
        let parts: Vec<_> = passwords.iter().map(|password| written(password)).collect();
        parts.join(", ")
    };
    let said = joined(&|password| format!("\"bob set password: {password} ok\""));
    let ran = joined(&|password| format!("\"export DB_PASSWORD={password}; run\""));
    let escaped = joined(&|password| format!("{{\\\"password\\\": \\\"{password}\\\"}}"));
    for text in [
        format!("tokens: [\"a1\", {said}]"),
        format!("\"session\": [{ran}]"),
        format!("token: \"{}\"\n", said.replace('"', "")),
        format!("\"key\": \"{escaped}\"\n"),
    ] {
        check(&[&text]);
    }
}

#[test]
fn a_share_may_be_used_with_a_password() {
    check(&[
        "net use Z: \\\\files\\home ⟦P@ssw0rd91⟧ /user:NORD\\anna\n",
        "net use Z: \\\\files\\home /user:NORD\\anna ⟦P@ssw0rd91⟧\n",
        "net use \\\\files\\c$ /u:admin ⟦P@ssw0rd91⟧ /persistent:no\n",
        "net use Z: \\\\files\\home /user:anna *\nnet use Z: /delete\n",
        "rabbitmqadmin -u guest -p ⟦h4se!x⟧ list queues\n",
    ]);
}

#[test]
fn parameters_may_be_named_by_a_path() {
    check(&[
        "{\"Name\": \"/prod/db/password\", \"Type\": \"SecureString\", \"Value\": \"⟦Horst-1893⟧\", \"Version\": 3}",
    ]);
}

#[test]
fn every_cookie_of_a_header_is_looked_at() {
    check(&[
        "Cookie: theme=dark; sid=⟦s%3Ak3Zt9QwX7bLmP2vN.8sRtY4uHc6Dg1Je5⟧; lang=de; connect.sid=⟦s%3AqFun9aN8VmCBP2vN.8sRtY4uHc6Dg1Je5⟧; auth=⟦Zk3Zt9QwX7bLmP2vN8sRt⟧; r=⟦91|k3Zt9QwX7bLmP2vN8sRtY4uHc6⟧\r\n",
        "Set-Cookie: sid=⟦k3zt9qwx7blmp2vn8srty4uhc6⟧; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT\n",
        "{\"name\":\"Cookie\",\"value\":\"_ga=GA1.2.11.22; sid=⟦k3zt9qwx7blmp2vn8srty4uhc6⟧\"}",
        "Cookie: _ga=GA1.2.1234567890.1700000000; cid=5f0c8f6e-6a51-4f9e-9f6b-0a6a1f6d2c11; build=9f8b6e2\n",
        "let cookie: SessionCookie = make();\ncookie: string; secure: boolean\n",
    ]);
}

#[test]
fn short_cookies_of_sessions_are_no_less_secret() {
    check(&[
        "Cookie: session=⟦vGlCHdwcDJ6P⟧\n",
        "Set-Cookie: sid=⟦5umdHWR9Q6Vv⟧; Path=/; HttpOnly\n",
        "curl -H 'Cookie: PHPSESSID=⟦8jS62vtIj9⟧' https://shop.example.com",
        "Set-Cookie: access_token=⟦QjPJGvViEi⟧; Path=/\n",
        "let cookie: String = \"⟦e859c983ed8083dab67dfb75d0ae6f6d⟧\".into();\n",
        "Cookie: sidebar=open; session_count=12345678; theme=dark2025\n",
    ]);
}

#[test]
fn quotes_and_signs_may_be_encoded() {
    check(&[
        "{&quot;user&quot;:&quot;anna&quot;,&quot;password&quot;: &quot;⟦geheim!7x⟧&quot;, &#34;secret&#34;:&#34;⟦Zk3t9QwX7⟧&#34;}",
        "d=%7B%22user%22%3A%22anna%22%2C%22password%22%3A+%22⟦geheim7x⟧%22%2C%22api_key%22%3A%22⟦9c1f9a0b2d4e6f8091a2b3c4d5e6f708⟧%22%7D",
        "/cb?next=%2Flogin%3Fpassword%3D⟦geheim7x⟧%26token%3D⟦k3Zt9QwX7bLmP2vN8sRtY4uHc6⟧%26x%3D1",
        "password=⟦geheim%217%26x⟧&user=bob",
        "password%3D⟦swordfish⟧%26user%3Dx",
        "https://x.example/?next=password%3D⟦swordfish⟧%26a%3Db",
    ]);
}

#[test]
fn recovery_codes_stand_in_lists() {
    check(&[
        "Here are my recovery codes, GitHub gave me them:\n⟦a1b2c-3d4e5⟧\n⟦f6a7b-8c9d0⟧\n\nbye",
        "Backup codes:\n1. ⟦8372 1920⟧\n2. ⟦4410 9283⟧\n",
        "backup_codes:\n  - ⟦83721920⟧\n  - ⟦44109283⟧\n",
        "{\"recovery_codes\": [\"⟦a1b2c-3d4e5⟧\", \"⟦f6a7b-8c9d0⟧\"]}",
        "Your recovery code: ⟦8372-1920-4410⟧",
        "Backup codes are documented in RFC 12345678.\nSee \"backup codes\" (of 2024-03-01).",
        "recovery_codes = [token_hex(8) for _ in range(10)]\nbackup_codes: 8,\nfn backup_codes(count: usize) -> Vec<String>",
        "the otp is ⟦482913⟧",
    ]);
}

/// Each once named the sixty-four below it, so that megabytes of them took seconds.
#[test]
fn codes_that_look_like_their_name_are_not_found_again_and_again() {
    let codes = (1000..3000).fold(String::new(), |codes, number| {
        codes + &format!("backupcode{number}\n")
    });
    let mut found = Vec::new();
    Detectors::built_in().detect(&codes, None, &mut found);
    assert!((2000..8000).contains(&found.len()), "{}", found.len());
}

#[test]
fn whatever_kubernetes_keeps_as_a_secret_is_one() {
    check(&[
        "data:\n  DATABASE_URL: ⟦cG9zdGdyZXM6Ly9iaWxsaW5nOnZLNw==⟧\n  conn: \"⟦aG9zdD1kYg==⟧\"\nkind: Secret\nmetadata:\n  name: payments\n---\nkind: ConfigMap\ndata:\n  level: aW5mbw==\n",
        "items:\n- data:\n    level: debugmode1\n  kind: ConfigMap\n- data:\n    conn: ⟦cG9zdGdyZXM6Ly9iaWxsaW5n⟧\n  kind: Secret\n  metadata:\n    name: b\n- data:\n    level: aW5mbw==\n  kind: ConfigMap\n",
        "kind: Secret\nstringData:\n  app.conf: |\n    level: debugmode1\n  conn: ⟦db1 as app⟧\ntype: Opaque\n",
        "{\"data\": {\"conn\": \"⟦cG9zdGdyZXM6Ly9i⟧\", \"user\": \"⟦YmlsbGluZw==⟧\"}, \"kind\": \"Secret\", \"metadata\": {\"name\": \"payments\"}}",
        "{\"kind\": \"Secret\", \"metadata\": {\"name\": \"payments\"}, \"stringData\": {\"conn\": \"⟦db1 as app⟧\"}}",
        "env:\n- kind: SecretStore\n  data:\n    level: debugmode1\n- secretRef:\n    kind: Secret\n    name: payments\n",
        "kubectl create secret generic db --from-literal=url=⟦mysql-a9f8Zk⟧ --from-literal='conn=⟦Zk3t9QwX7⟧'\n",
    ]);
}

#[test]
fn every_one_of_many_manifests_is_looked_at() {
    let (mut lines, mut objects) = (String::new(), Vec::new());
    for number in 10..70 {
        let _ = write!(
            lines,
            "kind: Secret\nmetadata:\n  name: app-{number}\nstringData:\n  field: ⟦copper{number}⟧\n---\n"
        );
        objects.push(format!(
            "{{\"data\":{{\"field\":\"⟦copper{number}⟧\"}},\"kind\":\"Secret\",\"metadata\":{{\"name\":\"app\"}}}}"
        ));
    }
    check(&[&lines, &format!("{{\"items\":[{}]}}", objects.join(","))]);
}

#[test]
fn a_manifest_ends_before_the_next_one() {
    check(&[
        "{\"items\":[{\"data\":{\"conn\":\"⟦cG9zdGdyZXM6Ly9i⟧\"},\"kind\":\"Secret\"},{\"data\":{\"LOG_LEVEL\":\"debugmode1\"},\"kind\":\"ConfigMap\"}]}",
    ]);
}

#[test]
fn the_key_of_a_cache_is_no_secret() {
    check(&[
        "Cache restored from key: Linux-npm-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n",
        "key: ⟦live-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08⟧\n",
    ]);
}

#[test]
fn one_of_many_generated_values_may_look_less_so() {
    check(&[
        "tokens: [\"⟦q8Zr4nT8wLmC3yHs6KpQ0vJd7FgA⟧\", \"⟦tONQatvPKcEPlZsDeUhqdzAloOui⟧\", \"⟦Zt9QwX7bLmP2vN8sRtY4uHc6Dg1J⟧\"]",
    ]);
}

#[test]
fn users_and_passwords_in_one() {
    check(&[
        "user/pass: admin/⟦Tulpe-2291⟧\n",
        "Kennwort lautet: ⟦Sommer!Regen7⟧\n",
        "db.intern:5432:shop:app:⟦h4fen-kran⟧\n*:*:*:postgres:⟦Tr0mmel⟧\n",
        "cpe:2.3:a:apache:log4j:2.14.1:*:*:*:*:*:*:*\n",
        "jwt.encode(payload, \"⟦mein-kleines-geheimnis-77⟧\", algorithm=\"HS256\")",
        "jwt.verify(token, process.env.JWT_SECRET)",
    ]);
}

#[test]
fn public_keys_and_the_index_of_a_change_are_no_secrets() {
    check(&[
        "ssh_authorized_keys: [\"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKx9v0Qm2b8sW4tR7yU1iO3pA5sD6fG8hJ0kL2zX4cV6 bob\"]",
        "+  password: SecretStr\nindex 83db48f..f735c2d 100644\n",
    ]);
}

#[test]
fn labels_of_other_languages_within_a_sentence() {
    check(&[
        "El usuario es mlopez y la contraseña: ⟦Girasol_88⟧. Mi casa es grande.",
        "Şifrem: ⟦Istanbul34!⟧\n",
        "ssh-keygen -t ed25519 -N '⟦s3hr-geheim⟧' -f id\n",
    ]);
}

#[test]
fn the_fields_of_a_reply_behind_the_type_of_its_token_are_no_credentials() {
    check(&[
        "login ok token_type=bearer expires_in=3600 scope=read",
        "Authorization: Bearer ⟦k3Zt9QwX7bLmP2vN8sRtY4uHc6==⟧\n",
    ]);
}
