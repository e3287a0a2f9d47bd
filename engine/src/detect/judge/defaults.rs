//! Default passwords of programs, and common placeholders that people set.

use crate::detect::bytes;

/// Whether a value is such a password, in any case.
pub(super) fn is_default(value: &[u8]) -> bool {
    #[rustfmt::skip]
    static DEFAULTS: bytes::Words = bytes::Words::of(&[
        "abc123", "admin", "admin1", "admin123", "adminadmin", "administrator", "alpine", "ansible", "calvin", "change_me",
        "change-me", "changeit", "changeme", "cisco", "default", "demo", "dragon", "elastic", "example", "football", "grafana",
        "guest", "hello", "iloveyou", "jenkins", "kibana", "letmein", "manager", "mariadb", "master", "minio", "minioadmin",
        "mongo", "mongodb", "monkey", "mysql", "neo4j", "nimda", "operator", "oracle", "pass", "pass123", "passw0rd", "password",
        "password1", "password123", "postgres", "postgresql", "princess", "qwerty", "qwerty123", "rabbitmq", "raspberry", "redis",
        "root", "root123", "rootroot", "s3cret", "sa", "secret", "service", "shadow", "sonar", "sunshine", "superman", "supersecret",
        "superuser", "support", "sysadmin", "system", "tomcat", "toor", "topsecret", "ubuntu", "user", "vagrant", "welcome", "wordpress",
        "111111", "1234", "12345", "123456", "1234567", "12345678", "123456789", "1234567890", "000000", "123123", "654321", "1q2w3e4r", "zabbix",
    ]);
    DEFAULTS.hold(value)
}
