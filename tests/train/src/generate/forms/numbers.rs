//! Numbers and signs that look like personal data and are none.

use super::Form;
use super::Spelling::Line;

const fn line(id: &'static str, line: &'static str) -> Form {
    Form::of(id, Line, line)
}

#[rustfmt::skip]
pub(super) const FORMS: &[Form] = &[
    line("numbers/version-parts", "Assembly version «build», file version «build»"),
    line("numbers/version-pin", "«word»==«build»\n«word»>=«version»"),
    line("numbers/version-gem", "    «word» (= «build»)"),
    line("numbers/version-user-agent", "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/«build» Safari/537.36"),
    line("numbers/version-package", "npm install «word»@«version» @types/«word»@^«version»"),
    line("numbers/version-image", "FROM registry.example.org/«word»:«version»"),
    line("numbers/oid", "snmpget -v2c -c public host 1.3.6.1.4.1.«number».«digit».«digit».0"),
    line("numbers/oid-certificate", "X509v3 Certificate Policies:\n    Policy: 2.16.840.1.«number».«digit».«digit»"),
    line("numbers/section", "See sections «digit».«digit».«digit».«digit» and «digit».«digit» of the manual."),
    line("numbers/svg-path", "<path d=\"M«digit»«digit».«number» «digit».«number»c-«digit».«number»-1.«digit»-.«number»-2.«number»-.«number»-3.«number»\"/>"),
    line("numbers/svg-polygon", "<polygon points=\"«number»,«number» «number»,«number» «number».«digit»,«number»\"/>"),
    line("numbers/coordinates", "{\"type\": \"Point\", \"coordinates\": [«digit».«number»«number», 4«digit».«number»«number»]}"),
    line("numbers/dates", "from «date» 10:11:12 until «date» 23:59:59"),
    line("numbers/date-compact", "backup-202601«digit»5-0«digit»1500.tar.gz"),
    line("numbers/timestamp", "{\"created\": 17«number»00000, \"expires\": 17«number»00000123}"),
    line("numbers/timecode", "00:0«digit»:12,345 --> 00:0«digit»:58,«digit»00"),
    line("numbers/amounts", "Total: «number»,«digit»50.00 EUR, tax «number».«digit»0 EUR"),
    line("numbers/sizes", "-rw-r--r-- 1 root root «number»«number» Mar  4 10:11 «word».bin"),
    line("numbers/counts", "processed «number»«number» rows in «digit»«digit».«number» s («number» rows/s)"),
    line("numbers/order", "Order #«number»-«number»-«digit» was shipped."),
    line("numbers/invoice", "Invoice INV-2026-«number», customer no. «number»"),
    line("numbers/isbn", "ISBN 978-«digit»-«number»-«number»-«digit»"),
    line("numbers/not-luhn", "object id «notluhn» not found"),
    line("numbers/commit", "See commit «hex8» (#«number»), fixed in v«version»."),
    line("numbers/mac-like", "00:«digit»«digit»:«digit»«digit» elapsed"),
    line("numbers/hex-dump", "000000«digit»0  7f 45 4c 46 02 01 01 00  00 00 00 00 00 00 00 00  |.ELF............|"),
    line("numbers/matrix", "[«digit».«digit», «digit».«number», -«digit».«number», «number», «number»]"),
    line("numbers/range", "chr«digit»:«number»00-«number»99"),
    line("numbers/ratio", "«number» / «number» = «digit».«number»"),
    line("numbers/port-map", "0.0.0.0:«port»->«port»/tcp, :::«port»->«port»/tcp"),
    line("numbers/loopback", "listening on 127.0.0.1:«port» and [::1]:«port»"),
    line("numbers/rust-path", "std::collections::HashMap, a::b::c, Face::Add, ::core::fmt"),
    line("numbers/decorator", "@app.route(\"/«word»\")\n@pytest.mark.parametrize(\"count\", [«digit», «digit»])"),
    line("numbers/media", "@media (min-width: «number»px) and (max-width: «number»px) { .«word» { margin: «digit»px } }"),
    line("numbers/css-import", "@import url('«word».css'); @font-face { unicode-range: U+0025-00FF; }"),
    line("numbers/regex", "/^\\d{3}-\\d{2}-\\d{4}$/ and /\\+?\\d{10,12}/"),
    line("numbers/stack-trace", "    at run («word».js:«number»:«digit»)\n    at next («word».js:«number»:«digit»«digit»)"),
    line("numbers/process", "root      «number»  0.«digit»  «digit».«digit» «number»«digit» «number»«digit» ?  Ssl  10:11  0:0«digit» «word»d"),
    line("numbers/build", "build «number».«digit» (r«number»), pid «number», exit «digit»"),
];
