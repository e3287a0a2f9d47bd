//! Words in the place of a name that are not names: types, sexes, departments, document names.
//! `last_name: Optional[str]`, `Patient: Male`, `Do: Kadry`, `IBAN：…`.

use crate::detect::bytes;
use std::ops::Range;

#[rustfmt::skip]
static WORDS: bytes::Words = bytes::Words::of(&[
    "string", "str", "text", "varchar", "nvarchar", "char", "character", "boolean", "bool", "integer", "int", "float", "double",
    "number", "object", "array", "list", "any", "date", "datetime", "timestamp", "optional", "option", "maybe", "required",
    "mandatory", "nullable", "null", "none", "undefined", "unknown", "true", "false", "default", "anonymous", "unnamed", "n/a",
    "unbekannt", "inconnu", "desconocido", "sconosciuto", "nieznany", "onbekend", "desconhecido", "неизвестно", "невідомо",
    "male", "female", "other", "männlich", "weiblich", "divers", "masculin", "féminin", "masculino", "femenino", "feminino",
    "hombre", "mujer", "mężczyzna", "kobieta", "maschio", "femmina", "mannelijk", "vrouwelijk",
    "iban", "bic", "vat", "ssn", "pesel", "nip", "regon", "dni", "nif", "cif", "curp", "rfc", "cpf",
    "cnpj", "nhs", "bsn", "ean", "isbn", "imei", "json", "xml", "html", "http", "https",
    // Departments.
    "accounting", "accounts", "billing", "payroll", "procurement", "purchasing", "helpdesk", "reception", "dispatch", "warehouse", "logistics",
    "kundenservice", "kundendienst", "kundenbetreuung", "buchhaltung", "lohnbuchhaltung", "rechnungswesen", "personalabteilung", "vertrieb", "einkauf",
    "verwaltung", "empfang", "geschäftsführung", "versand", "comptabilité", "accueil", "direction", "secrétariat", "achats", "ventes", "paie",
    "facturation", "contabilidad", "administración", "recepción", "nóminas", "compras", "dirección", "secretaría", "facturación", "contabilità",
    "amministrazione", "assistenza", "segreteria", "acquisti", "vendite", "direzione", "fatturazione", "paghe", "contabilidade", "atendimento",
    "administração", "recepção", "secretaria", "vendas", "direção", "faturação", "faturamento", "boekhouding", "klantenservice", "administratie",
    "receptie", "inkoop", "verkoop", "directie", "kadry", "płace", "księgowość", "recepcja", "sekretariat", "sprzedaż", "zakupy", "dyrekcja", "zarząd",
    "administracja",
    // Unknown, none, anonymous, user, file, project, test.
    "غير معروف", "مجهول", "لا يوجد", "مستخدم", "المستخدم", "ملف", "الملف", "مشروع", "المشروع", "اختبار",
    "अज्ञात", "कोई नहीं", "उपयोगकर्ता", "फ़ाइल", "फाइल", "परियोजना", "परीक्षण",
    "לא ידוע", "אין", "אנונימי", "משתמש", "קובץ", "פרויקט", "בדיקה",
    "ไม่ทราบ", "ไม่ระบุ", "ไม่มี", "ผู้ใช้", "ไฟล์", "โครงการ", "ทดสอบ",
    "未知", "不详", "不詳", "无", "無", "匿名", "未填写", "用户", "文件", "项目", "测试",
    "不明", "なし", "未定", "未設定", "未入力", "ユーザー", "ファイル", "プロジェクト", "テスト",
    "알 수 없음", "미상", "없음", "미정", "사용자", "파일", "프로젝트", "테스트",
]);

/// `impl<ST, Conn, GB>`, `Map<Key, Quinn>`: a parameter of a type.
pub(super) fn is_parameter(text: &str, name: Range<usize>) -> bool {
    const LONGEST: usize = 64;
    let text = text.as_bytes();
    let line = name.start - bytes::line_back(text, name.start, LONGEST);
    let lead = bytes::slice(text, line, name.start);
    let opens = lead.iter().rposition(|byte| matches!(byte, b'<' | b'>'));
    let is_of_type = opens.is_some_and(|at| {
        bytes::at(lead, at) == b'<' && bytes::before(lead, at).is_ascii_alphabetic()
    });
    is_of_type
        && (lead.ends_with(b", ") || lead.ends_with(b"<"))
        && matches!(bytes::at(text, name.end), b',' | b'>' | b':')
}

/// Whether this is such a word.
pub(super) fn is_placeholder(name: &str) -> bool {
    WORDS.hold(name.as_bytes())
}
