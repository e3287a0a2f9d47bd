//! Values that rules against wrong finds once let through.

#[path = "support/marked.rs"]
mod marked;

use marked::check;

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
