//! Personal data.

use super::Form;
use super::Spelling::Line;

const fn line(id: &'static str, line: &'static str) -> Form {
    Form::of(id, Line, line)
}

#[rustfmt::skip]
pub(super) const FORMS: &[Form] = &[
    line("personal/mail-prose", "Please write to «email» by Friday."),
    line("personal/mail-angle", "From: \"Support\" <«email»>\nTo: <«email»>").once(),
    line("personal/mail-json", "  {\"id\": «number», \"email\": \"«email»\"}").between(",\n").within("[\n", "\n]\n"),
    line("personal/mail-csv", "«number»,«email»,active").within("id,email,state\n", "\n"),
    line("personal/mail-sql", "INSERT INTO users (id, email) VALUES («number», N'«email»');"),
    line("personal/mail-log", "2026-03-04T10:11:12Z INFO auth: login failed for «email» (attempt «digit»)"),
    line("personal/mail-git", "Signed-off-by: dev <«email»>"),
    line("personal/mail-yaml", "  - email: «email»\n    role: admin").within("users:\n", "\n"),
    line("personal/mail-query", "GET /unsubscribe?email=«email»&list=«number» HTTP/1.1"),
    line("personal/mail-markdown", "Questions? [Write to us](mailto:«email»)."),
    line("personal/mail-html", "<a href=\"mailto:«email»\">«email»</a>"),
    line("personal/mail-code", "const recipient = \"«email»\";"),
    line("personal/mail-env", "ADMIN_EMAIL=«email»"),
    line("personal/mail-parenthesis", "The owner («email») has left the team."),
    line("personal/mail-list", "«email»; «email», «email»"),
    line("personal/phone-prose", "Call me at «phone» tomorrow."),
    line("personal/phone-colon", "Phone: «phone»"),
    line("personal/phone-mobile", "Mobil: «phone»"),
    line("personal/phone-french", "Tél. : «phone»"),
    line("personal/phone-spanish", "Teléfono: «phone»"),
    line("personal/phone-polish", "tel. «phone»"),
    line("personal/phone-international", "You can reach us under «intl» or by mail."),
    line("personal/phone-json", "{\"name\": \"office\", \"phone\": \"«phone»\"}"),
    line("personal/phone-csv", "«number»,«intl»").within("id,phone\n", "\n"),
    line("personal/phone-whatsapp", "WhatsApp «intl»"),
    line("personal/phone-log", "sms: sent code to «intl» via gateway «digit»"),
    line("personal/phone-html", "<a href=\"tel:«intl»\">Call us</a>"),
    line("personal/card-prose", "I paid with «card» yesterday."),
    line("personal/card-order", "I placed an order and paid with «card»"),
    line("personal/card-json", "{\"card_number\": \"«card»\", \"exp\": \"09/29\"}"),
    line("personal/card-csv", "«number»,«card»,09/29").within("order,card,expiry\n", "\n"),
    line("personal/card-log", "payment: charging «card» for order «number»"),
    line("personal/card-sql", "UPDATE payments SET pan = '«card»' WHERE id = «number»;"),
    line("personal/address-prose", "The server has the address «ipv4» now."),
    line("personal/address-log", "«ipv4» - - [04/Mar/2026:10:11:12 +0000] \"GET / HTTP/1.1\" 200 «number»"),
    line("personal/address-sshd", "sshd[«number»]: Failed password for root from «ipv4» port «port» ssh2"),
    line("personal/address-hosts", "«ipv4»\tdb«digit».internal db«digit»"),
    line("personal/address-yaml", "    host: «ipv4»\n    port: «port»").within("database:\n", "\n"),
    line("personal/address-json", "{\"client_ip\": \"«ipv4»\", \"status\": 200}"),
    line("personal/address-url", "curl http://«ipv4»:«port»/health"),
    line("personal/address-ping", "64 bytes from «ipv4»: icmp_seq=«digit» ttl=57 time=«digit».2 ms"),
    line("personal/address-v6-prose", "It listens on «ipv6» as well."),
    line("personal/address-v6-log", "nginx: connect() to [«ipv6»]:8080 failed"),
    line("personal/address-v6-interface", "    inet6 «ipv6»/64 scope global dynamic"),
    line("personal/address-v6-json", "{\"remote\": \"«ipv6»\", \"port\": «port»}"),
    line("personal/ssn-prose", "My SSN is «ssn»."),
    line("personal/ssn-colon", "Social Security Number: «ssn»"),
    line("personal/ssn-csv", "«number»,«ssn»").within("employee,ssn\n", "\n"),
    line("personal/ssn-json", "{\"employee\": «number», \"ssn\": \"«ssn»\"}"),
    line("personal/ssn-form", "Taxpayer id («ssn»), filed 2025"),
    line("personal/row", "«number»,«email»,«intl»,«ipv4»").within("id,email,phone,last_ip\n", "\n"),
    line("personal/signature", "--\nSupport\nPhone: «phone»\nMail: «email»").once(),
];
