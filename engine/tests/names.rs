//! Names of persons in many kinds of text, and lookalikes.

#![expect(clippy::expect_used, reason = "a test says what went wrong by failing")]

use engine::detect::{DetectorSettings, Names, merge};
use engine::{Detectors, EntityType};
use std::sync::LazyLock;

static CAREFUL: LazyLock<Detectors> = LazyLock::new(Detectors::built_in);

/// The values of a type that detectors find.
fn found(detectors: &Detectors, entity: &EntityType, text: &str, key: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    detectors.detect(text, key, &mut found);
    let names = merge(found).into_iter();
    names
        .filter(|detection| detection.entity == *entity)
        .map(|detection| text[detection.start..detection.end].to_owned())
        .collect()
}

fn persons(text: &str) -> Vec<String> {
    found(&CAREFUL, &EntityType::PERSON, text, None)
}

fn eager(names: Names) -> Detectors {
    Detectors::new(&DetectorSettings {
        names,
        ..DetectorSettings::default()
    })
    .expect("detectors")
}

#[track_caller]
fn assert_persons(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| (text, expected, persons(text)))
        .filter(|(_, expected, found)| found.as_slice() != **expected)
        .map(|(text, expected, found)| format!("{text:?}: {found:?} for {expected:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn persons_are_found_in_sentences_of_many_languages() {
    assert_persons(&[
        (
            "Please email Anna Schmidt about the invoice.",
            &["Anna Schmidt"],
        ),
        (
            "Bitte ruf Jürgen Krause wegen der Rechnung an.",
            &["Jürgen Krause"],
        ),
        (
            "Rédige un mail poli pour Camille Rousseau, ma voisine.",
            &["Camille Rousseau"],
        ),
        (
            "Escribe una carta para Lucía Fernández sobre el contrato.",
            &["Lucía Fernández"],
        ),
        (
            "Napisz do Agnieszki Nowak w sprawie faktury.",
            &["Agnieszki Nowak"],
        ),
        (
            "Escreva um e-mail para Rafael Monteiro sobre a entrega.",
            &["Rafael Monteiro"],
        ),
        (
            "Ho parlato con Giulia Ferrari ieri mattina.",
            &["Giulia Ferrari"],
        ),
        (
            "Mijn buurman Pieter Bakker heeft gebeld.",
            &["Pieter Bakker"],
        ),
        (
            "Позвони Наталье Ивановой, пожалуйста. Меня зовут Дмитрий Соколов.",
            &["Наталье Ивановой", "Дмитрий Соколов"],
        ),
        (
            "Με λένε Γιώργος Παπαδόπουλος, χρειάζομαι βοήθεια.",
            &["Γιώργος Παπαδόπουλος"],
        ),
    ]);
}

#[test]
fn persons_are_found_next_to_titles_signatures_and_greetings() {
    assert_persons(&[
        (
            "Dear Ms. Hoffmann,\nthank you for your order.\n\nKind regards,\nPeter Novak",
            &["Hoffmann", "Peter Novak"],
        ),
        ("From: Anna Schmidt <x@example.org>", &["Anna Schmidt"]),
        ("Sehr geehrter Herr Dr. Baumann,", &["Baumann"]),
        ("The report of J. R. Ellison was late.", &["J. R. Ellison"]),
        (
            "Patient: JOHN MCALLISTER\nStatus: open",
            &["JOHN MCALLISTER"],
        ),
        (
            "The patient JOHN MCALLISTER was admitted on Monday.",
            &["JOHN MCALLISTER"],
        ),
    ]);
}

#[test]
fn hyphens_apostrophes_and_particles_are_parts_of_a_name() {
    assert_persons(&[
        (
            "Our lawyer Hans-Peter Müller-Lüdenscheidt called.",
            &["Hans-Peter Müller-Lüdenscheidt"],
        ),
        (
            "I met Maeve O'Sullivan in Dublin last week.",
            &["Maeve O'Sullivan"],
        ),
        (
            "My boss Willem van der Berg said no.",
            &["Willem van der Berg"],
        ),
        ("Anna Schmidt's phone was stolen.", &["Anna Schmidt"]),
    ]);
}

#[test]
fn a_lowercase_name_is_found_after_a_greeting() {
    assert_persons(&[
        ("hi martina, can you look at this?", &["martina"]),
        (
            "my name is martina kowalska and i need help",
            &["martina kowalska"],
        ),
        ("hallo matthias, kommst du?", &["matthias"]),
        ("hi there, can you help?", &[]),
        (
            r#"{"content": "hi martina, can you look at this?"}"#,
            &["martina"],
        ),
        (
            "user: hello. my name is martina kowalska",
            &["martina kowalska"],
        ),
        ("that was quick, thanks martina", &["martina"]),
        ("see you on monday, thanks,\nmartina", &["martina"]),
        ("¿Quedamos el viernes? Un saludo, Álvaro", &["Álvaro"]),
        ("Ci vediamo lunedì. Grazie, Tommaso", &["Tommaso"]),
        ("Bis morgen! Viele Grüße\nUlrike Stamm", &["Ulrike Stamm"]),
        ("let hi = map.get(dear, thomas);", &[]),
    ]);
}

#[test]
fn names_that_are_also_words_libraries_or_places() {
    assert_persons(&[
        (
            "Mark Rust met Paris Jackson in London.",
            &["Mark Rust", "Paris Jackson"],
        ),
        (
            "Ask Jasmine Rose about the Jasmine tests.",
            &["Jasmine Rose"],
        ),
        (
            "Victoria Station is closed; Victoria Chase called.",
            &["Victoria Chase"],
        ),
        ("Rust, Jasmine and Django run on Windows in Paris.", &[]),
    ]);
}

#[test]
fn a_field_label_is_not_a_name() {
    assert_persons(&[
        ("Der Drucker klemmt. Bearbeiter: Nguyen.", &["Nguyen"]),
        ("Kan niet inloggen op DigiD. Behandelaar: Bram.", &["Bram"]),
    ]);
}

#[test]
fn values_of_name_keys_are_found_in_any_case() {
    assert_persons(&[
        (
            r#"{"first_name": "martina", "lastName": "Oyelaran", "age": 31}"#,
            &["martina", "Oyelaran"],
        ),
        (
            "Vorname: Wiebke\nNachname: Ahlers\nOrt: Kiel",
            &["Wiebke", "Ahlers"],
        ),
        ("<surname>Zieliński</surname>", &["Zieliński"]),
        ("姓名：王小明，电话", &["王小明"]),
        ("氏名: 山田太郎", &["山田太郎"]),
        (
            r#"{"first_name": "First name", "last_name": "Last name"}"#,
            &[],
        ),
        ("first_name: String,\nlast_name: Option<String>,", &[]),
        ("first_name = models.CharField(max_length=30)", &[]),
    ]);
    let value = found(&CAREFUL, &EntityType::PERSON, "martina", Some("first_name"));
    assert_eq!(value, ["martina"]);
}

#[test]
fn names_in_a_lowercase_form_are_found() {
    assert_persons(&[
        (
            "First name: keziah\nLast name: thornbury-ndlovu\nCity: Reading\n",
            &["keziah", "thornbury-ndlovu"],
        ),
        ("Vorname: zeynep\r\nOrt: Kiel\r\n", &["zeynep"]),
        ("Nom de famille: le guennec\n", &["le guennec"]),
        ("  first_name: required\n  last_name: lastname\n", &[]),
        ("firstName: user.first,\nlastName: prev,\n", &[]),
        ("vorname: optional\nsurname: string\n", &[]),
    ]);
}

#[test]
fn surname_first_names_are_found_under_a_key() {
    assert_persons(&[
        (
            "{\"full_name\": \"Cruz, Hope\", \"plan\": \"Gold\"}",
            &["Cruz, Hope"],
        ),
        (
            "Patient: Lindqvist, Anna\nphone: none\n",
            &["Lindqvist, Anna"],
        ),
    ]);
}

#[test]
fn names_in_columns_are_found() {
    assert_persons(&[
        (
            "achternaam;voornaam;plaats\nde Groot;Lieke;Zwolle\nKuipers;Femke;Assen\n",
            &["de Groot", "Lieke", "Kuipers", "Femke"],
        ),
        (
            "id,last_name,first_name,city\n7,Haverford,Beau,Austin\n8,Nwosu,Chidi,Phoenix\n",
            &["Haverford", "Beau", "Nwosu", "Chidi"],
        ),
        (
            "nome,sobrenome,cidade\nAparecida,Prado,Curitiba\n",
            &["Aparecida", "Prado"],
        ),
        (
            "| First name | Team |\n|---|---|\n| Thandiwe | Core |\n",
            &["Thandiwe"],
        ),
        (
            "| Field | Type |\n|---|---|\n| first_name | string |\n| last_name | string |\n",
            &[],
        ),
        (
            "SELECT first_name, last_name,\n  city, country\nFROM users;\n",
            &[],
        ),
    ]);
    let off = eager(Names::Off);
    let text = "last_name,first_name\nHaverford,Beau\nNwosu,Chidi\n";
    assert!(found(&off, &EntityType::PERSON, text, None).is_empty());
}

#[test]
fn east_asian_names_are_found_beside_an_honorific() {
    assert_persons(&[
        ("请联系王小明先生。", &["王小明"]),
        ("田中さんに連絡してください。", &["田中"]),
        ("お客様にご案内します。", &[]),
        ("김민수님께 전화하세요.", &["김민수"]),
        ("高橋 美咲さんから電話", &["高橋 美咲"]),
    ]);
}

#[test]
fn chinese_and_japanese_self_introductions_are_found() {
    assert_persons(&[
        ("担当の中村です。", &["中村"]),
        (
            "お世話になります、株式会社青葉の小林と申します。",
            &["小林"],
        ),
        ("京都の夏です。本日の予定です。", &[]),
        ("我叫周文博，请问在吗", &["周文博"]),
        ("我叫他明天再来一次", &[]),
        ("我叫高铁票代购的人", &[]),
    ]);
}

#[test]
fn assistants_products_and_code_are_not_persons() {
    assert_persons(&[
        (
            "You are Claude Code, Anthropic's official CLI for Claude.",
            &[],
        ),
        (
            "You are Codex, based on GPT-5. You are running as a coding agent in the Codex CLI.",
            &[],
        ),
        (
            "| Claude Code | `API Error` |\n| Codex, own provider | no |\n- Cline: an account of Cline's own",
            &[],
        ),
        (
            "I had lunch with Claude Dupont yesterday.",
            &["Claude Dupont"],
        ),
        (
            "Explain the difference between Docker and Kubernetes with Jenkins.",
            &[],
        ),
        (
            "use std::collections::HashMap;\nlet client = Client::new();\nimpl Display for Error {}",
            &[],
        ),
        (
            "from django.db import models\nclass Meta:\n    ordering = ['name']",
            &[],
        ),
        ("Returns the Fourier transform of the given Array.", &[]),
        ("ERROR Connection refused: Tomcat could not start", &[]),
        (
            "name: Build and Test\non: push\njobs:\n  build:\n    runs-on: ubuntu-latest",
            &[],
        ),
        ("On Monday we flew to Paris and Berlin.", &[]),
    ]);
}

#[test]
fn words_in_code_commands_and_tables_are_not_persons() {
    assert_persons(&[
        ("lookup :: M.Map T.Text Int -> X.Name -> Maybe Int", &[]),
        ("America/Lima\nAsia/Tokyo\nEurope/Sofia\nAfrica/Maseru", &[]),
        ("-rw-r--r-- 1 root root 4096 Jan 12 10:00 x", &[]),
        (
            "Thu Aug  5 09:50:11 UTC 2027\nFri Aug  6 09:50:11 UTC 2027",
            &[],
        ),
        ("PUT POST", &[]),
        ("Migrate from SAP HANA to Postgres.", &[]),
        (r#"{"last_name": "Optional", "first_name": "string"}"#, &[]),
        ("Patient: Male\nAge: 40", &[]),
        ("IBAN：未填写", &[]),
        ("AD\tAndorra\nDJ\tDjibouti\nTD\tChad", &[]),
        (
            "### Fixed\n\n- Rework backends ([#442])\n- Mark constructed strings as unsupported",
            &[],
        ),
        ("enum Op {\n    Grow,\n    Mark,\n    Dealloc,\n}", &[]),
    ]);
}

/// `%de` was read as a letter of Latin-1.
#[test]
fn directives_with_a_percent_sign_are_not_persons() {
    assert_persons(&[
        (
            "%define p256_point_mul ring_p256_point_mul\n%define sha512_neon ring_sha512_neon\n",
            &[],
        ),
        ("author=J%fcrgen+Krause&id=1", &["J%fcrgen+Krause"]),
    ]);
}

#[test]
fn source_map_segments_are_not_persons() {
    assert_persons(&[
        (
            r#"{"version":3,"mappings":"AAAA,SAAS,IAAI,SAAS,EAAE,CAAC,KAAK;QACpC,SAAS,CAAC,MACA,MACA,KACA"}"#,
            &[],
        ),
        (
            "NAME,VORNAME\nSCHMIDT,SARA,PAUL,MARY,JANE,CARL,DAVE,MARK",
            &[
                "SCHMIDT", "SARA", "PAUL", "MARY", "JANE", "CARL", "DAVE", "MARK",
            ],
        ),
    ]);
}

#[test]
fn names_in_adjacent_columns_stay_separate() {
    assert_persons(&[(
        "Anna Schmidt\tPeter Novak\nWiebke Ahlers\tLucía Fernández",
        &[
            "Anna Schmidt",
            "Peter Novak",
            "Wiebke Ahlers",
            "Lucía Fernández",
        ],
    )]);
}

#[test]
fn lowercase_chat_speakers_are_persons() {
    assert_persons(&[
        (
            "oisin: did the van arrive?\nmagda: not yet, ask oisin's brother\noisin: ok magda",
            &["oisin", "magda", "oisin", "oisin", "magda"],
        ),
        (
            "[10:02] ludovic: deploy now?\n[10:03] ottilie: give me five",
            &["ludovic", "ottilie"],
        ),
        (
            "<Zbigniew> the tests are red\n<Tjorven> again, sorry",
            &["Zbigniew", "Tjorven"],
        ),
    ]);
}

#[test]
fn chat_lookalike_lines_contain_no_persons() {
    assert_persons(&[
        (
            "error: cannot find value `x` in this scope\nnote: the lint level is defined here",
            &[],
        ),
        (
            "[10:02] server: restarted\n[10:03] worker: is ready now",
            &[],
        ),
        ("<Config> reload the file\n<Header> is missing here", &[]),
        ("name: build\non: push to main\nsteps: run the tests", &[]),
        ("jan: 12,\nfeb: 14,\nalexis: true", &[]),
    ]);
}

/// The surname was found, the initials went to the provider.
#[test]
fn a_name_includes_its_initials_and_number() {
    assert_persons(&[
        (
            "Lindgren, K. and Oyelaran, T. P. (2018). Rivers of the north.",
            &["Lindgren, K.", "Oyelaran, T. P."],
        ),
        ("Signed for by R HENDERSON at reception.", &["R HENDERSON"]),
        (
            "Frau de Groot und Herr von Lindenfels fehlen, M. de Lussac auch.",
            &["de Groot", "von Lindenfels", "de Lussac"],
        ),
        (
            "Sincerely,\n\nHenry Whitfield III",
            &["Henry Whitfield III"],
        ),
    ]);
}

#[test]
fn lowercase_bookings_tasks_and_titles_contain_persons() {
    assert_persons(&[
        (
            "1.ADEYEMI/FOLAKE MRS 2.ADEYEMI/TUNDE JOHN MR LHR",
            &["ADEYEMI/FOLAKE", "ADEYEMI/TUNDE JOHN"],
        ),
        ("Accept: TEXT/HTML OR TEXT/PLAIN", &[]),
        ("// TODO anneliese: drop this", &["anneliese"]),
        ("Reporter: mukherjee, anil\n", &["mukherjee, anil"]),
        ("features: serde, alloc\n", &[]),
        ("// TODO(anneliese): drop this", &["anneliese"]),
        ("# TODO(windows): use another path", &[]),
        ("ask dr. mukherjee for the results", &["mukherjee"]),
        ("see fig. smith, no. miller", &[]),
        ("spoke to mr patel about the boiler", &["patel"]),
        ("frau schmitz hat angerufen", &["schmitz"]),
        (
            "Ihr Name?\nKunde: torsten mielke\nDanke!",
            &["torsten mielke"],
        ),
        ("status: done\ntype: image\nlang: en us\n", &[]),
        ("call dr anita mukherjee back", &["anita mukherjee"]),
        ("gisteren belde dhr jansen", &["jansen"]),
        ("ms word, mr robot, dr pepper, mr_patel", &[]),
        ("READ/WRITE MS\nTCP/IP MS", &[]),
    ]);
}

#[test]
fn a_column_heading_marks_its_cells_as_persons() {
    assert_persons(&[
        (
            "| Ward | Nurse | Room |\n|---|---|---|\n| North | Castellanos | 2 |\n| South | M. Appleby | 4 |",
            &["Castellanos", "M. Appleby"],
        ),
        (
            "| Service | Owner | State |\n|---|---|---|\n| API | Platform | open |\n| Mail | Support | closed |",
            &[],
        ),
    ]);
}

#[test]
fn a_certain_name_is_found_again_in_uncertain_contexts() {
    let text = "Kwame Mensah and Sofia Lindgren argue about the house. What are Sofia's options?";
    assert_eq!(persons(text), ["Kwame Mensah", "Sofia Lindgren", "Sofia"]);
}

#[test]
fn name_detection_can_be_off_or_eager() {
    let text = "Please email Anna Schmidt about the invoice.";
    let person = &EntityType::PERSON;
    assert!(found(&eager(Names::Off), person, text, None).is_empty());
    assert_eq!(
        found(&eager(Names::Eager), person, text, None),
        ["Anna Schmidt"]
    );
}

#[test]
fn places_and_organizations_are_found_when_switched_on() {
    let text = "Siemens AG opened an office in Madrid.";
    assert!(found(&CAREFUL, &EntityType::LOCATION, text, None).is_empty());
    let detectors = Detectors::new(&DetectorSettings {
        types: vec![
            (EntityType::LOCATION, true),
            (EntityType::ORGANIZATION, true),
        ],
        ..DetectorSettings::default()
    })
    .expect("detectors");
    assert_eq!(
        found(&detectors, &EntityType::LOCATION, text, None),
        ["Madrid"]
    );
    assert_eq!(
        found(&detectors, &EntityType::ORGANIZATION, text, None),
        ["Siemens AG"]
    );
}

#[test]
fn tokens_of_masked_names_are_left() {
    assert_persons(&[("Dear <MASK_PERSON_1>, thanks. [REDACTED_PERSON]", &[])]);
}

#[test]
fn name_detection_takes_linear_time() {
    for text in [
        "Anna Schmidt, ".repeat(70_000),
        "Aä".repeat(400_000),
        "Anna-".repeat(200_000),
        "Name: ".repeat(150_000),
    ] {
        let mut found = Vec::new();
        CAREFUL.detect(&text, None, &mut found);
    }
}

#[test]
fn uncertain_words_next_to_a_certain_name_belong_to_it() {
    assert_persons(&[
        ("[Debbie Dalton]: Let's wait", &["Debbie Dalton"]),
        (
            "W. Fesenko gewann gegen A. Korsakow.",
            &["W. Fesenko", "A. Korsakow"],
        ),
        ("Autor: Patrick von Brunn", &["Patrick von Brunn"]),
    ]);
}

/// A half of the name went to the provider.
#[test]
fn an_unknown_word_next_to_a_name_belongs_to_it() {
    assert_persons(&[
        (
            "[Michael Di Prisco](https://github.com/x)",
            &["Michael Di Prisco"],
        ),
        ("thanks to Zorblax Hudak for it", &["Zorblax Hudak"]),
        ("in Grafana Anna Schmidt saw the alarm", &["Anna Schmidt"]),
        (
            "an Sachbearbeiterin Anna Schmidt weiterleiten",
            &["Anna Schmidt"],
        ),
        (
            "cc Herr Schmidt und Frau Müller, bitte",
            &["Schmidt", "Müller"],
        ),
        ("Hello Anna Schmidt,", &["Anna Schmidt"]),
    ]);
}

/// The title was taken for the name, and the name went out.
#[test]
fn titles_after_a_greeting_are_excluded_from_names() {
    assert_persons(&[
        ("Dear Sir or Madam,", &[]),
        ("dear sir, please find attached", &[]),
        ("Hallo Frau Dr. Obermoser, danke", &["Obermoser"]),
        ("Sehr geehrte Frau Dr. Obermoser,", &["Obermoser"]),
        ("Уважаемая Ольга Сергеевна!", &["Ольга Сергеевна"]),
        ("김민수 부장님", &["김민수"]),
    ]);
}

#[test]
fn names_include_the_part_after_al_or_binti() {
    assert_persons(&[
        ("Omar al-Rashid called", &["Omar al-Rashid"]),
        ("Siti binti Rahman", &["Siti binti Rahman"]),
    ]);
}

#[test]
fn labelled_names_in_scripts_without_capitals_are_found() {
    assert_persons(&[
        ("담당자: 이수진", &["이수진"]),
        ("الاسم: أحمد حسن", &["أحمد حسن"]),
        ("नाम: राजेश कुमार", &["राजेश कुमार"]),
        ("שם: דוד כהן", &["דוד כהן"]),
        ("ชื่อ: สมชาย ใจดี", &["สมชาย ใจดี"]),
    ]);
}

#[test]
fn firms_named_after_persons_are_left() {
    assert_persons(&[
        (
            "Ordered from Arthur Price Ltd and William Grant & Sons.",
            &[],
        ),
        ("Bestellt bei Fa. Heinrich Schmid am Montag", &[]),
        ("Talleres Pérez, S.L.", &[]),
        ("Peter Müller GmbH hat geliefert", &[]),
        ("Drukarnia Nowak Sp. z o.o. wysłała fakturę", &[]),
        // A sole trader is a person.
        ("Rechnung von Peter Müller e.K. aus Ulm", &["Peter Müller"]),
        ("Invoice from Anna Weber, sole trader", &["Anna Weber"]),
    ]);
}

/// Schools, streets and hotels were persons, and so were employers and places in forms.
#[test]
fn schools_hotels_and_form_entries_are_not_persons() {
    assert_persons(&[
        ("Colegio Santa Cecilia, 3.º B", &[]),
        ("Ma fille va à l'école Sainte-Marthe.", &[]),
        ("Przedszkole św. Brygidy jest zamknięte.", &[]),
        ("We stayed at Hotel Victoria.", &[]),
        ("Purtroppo l'hotel Vittoria è pieno.", &[]),
        ("TRIBUNALE DI PAVIA", &[]),
        ("St Brigid's Primary School", &[]),
        ("Reunión con Larcher SA el lunes", &[]),
        ("Occupation: Baker\nEmployer: Greggs", &[]),
        ("Empresa: Eroski\nCiudad: Burgos", &[]),
        ("Employer: Hannah Whitcombe", &["Hannah Whitcombe"]),
    ]);
}

/// Brands behind a verb or a preposition were persons; behind a first name or a title they are.
#[test]
fn brands_that_look_like_names_are_left() {
    assert_persons(&[
        ("She worked for Marriott from 2018 to 2022.", &[]),
        ("Wells Fargo and Morgan Stanley raised guidance.", &[]),
        ("To jest faktura z Ericssona.", &[]),
        ("Commande chez Leroy Merlin", &[]),
        ("an Aurora Serverless cluster in Asia Pacific (Tokyo)", &[]),
        ("5.00 for Sandy Bridge. Actually, more.", &[]),
        ("Wir landen am Flughafen Helmut Schmidt.", &[]),
        ("Dear Mr Marriott, thank you.", &["Marriott"]),
        ("Call Katie Marriott about it.", &["Katie Marriott"]),
    ]);
}

/// Parameters of types were persons.
#[test]
fn departments_and_labels_of_numbers_are_not_persons() {
    assert_persons(&[
        (
            "Von: Karin Vogt\nAn: Buchhaltung\nBetreff: Rechnung",
            &["Karin Vogt"],
        ),
        ("Od: Marek Nowak\nDo: Kadry\nTemat: Urlop", &["Marek Nowak"]),
        ("Doğum Tarihi 1942-05-02", &[]),
        ("T.C. Kimlik No: 31876643794", &[]),
        ("Adresat\nHala 9, Gniew", &[]),
        ("I called Anna 12 times", &["Anna"]),
    ]);
}

#[test]
fn parameters_of_types_are_no_persons() {
    assert_persons(&[
        ("impl<ST, QS, DB, Conn, GB> RunQuery<Conn> for T {}", &[]),
        ("Anna Schmidt <anna@example.com>", &["Anna Schmidt"]),
    ]);
}

#[test]
fn an_occupation_after_an_article_is_not_a_name() {
    assert_persons(&[("Er holt den Anzug beim Schneider ab.", &[])]);
}

#[test]
fn patients_and_relatives_in_hl7_segments_are_found() {
    assert_persons(&[(
        "PID|1||4711^5^M11||EVERWOOD^NORA^T||19610615|F\rNK1|1|EVERWOOD^PAUL|SPO||\r",
        &["EVERWOOD^NORA^T", "EVERWOOD^PAUL"],
    )]);
}

/// `Herr von der Recke` was nobody: the tagger sees no title behind two particles.
#[test]
fn a_name_with_particles_is_found_after_a_title() {
    assert_persons(&[
        ("Sehr geehrter Herr von der Recke,", &["von der Recke"]),
        (
            "Gesprek met dhr. 't Veerman over de offerte",
            &["'t Veerman"],
        ),
        ("Monsieur d'Ormesson est là.", &["d'Ormesson"]),
        ("Jan van 't Hoff belde.", &["Jan van 't Hoff"]),
        ("Er schickte die Frau zum Arzt.", &[]),
        ("Wir schauen Herr der Ringe.", &[]),
    ]);
}

/// Words at the beginning of what agents are told.
#[test]
fn imperatives_in_lists_are_not_persons() {
    assert_persons(&[
        (
            "Rules:\n- Reuse an existing session\n- Unnamed caller-owned buffers stay\n",
            &[],
        ),
        ("- Siobhan the plumber called", &["Siobhan"]),
    ]);
}

/// `Étienne Desrosiers SIN` was a name, and `Milano P.IVA`.
#[test]
fn a_following_label_is_not_part_of_a_name() {
    assert_persons(&[
        (
            "Étienne Desrosiers SIN 492-108-790",
            &["Étienne Desrosiers"],
        ),
        ("seat 3: Chloe Ainsley DOB 12-11-71", &["Chloe Ainsley"]),
        ("Via Roma 12, 20121 Milano P.IVA 01234567897", &[]),
    ]);
}

#[test]
fn a_chinese_name_ends_before_the_following_sentence() {
    assert_persons(&[
        ("客户：王小明，电话", &["王小明"]),
        ("姓名: 李雷 李雷去北京出差开会了", &["李雷"]),
        ("电话，联系人：韩梅梅。", &["韩梅梅"]),
        ("氏名：松本 さくら\n", &["松本 さくら"]),
    ]);
}

/// "Unknown" and "project" were taken for names in every script without capitals.
#[test]
fn placeholder_words_after_a_name_label_are_left() {
    assert_persons(&[
        ("الاسم: غير معروف", &[]),
        ("नाम: फ़ाइल", &[]),
        ("שם: פרויקט", &[]),
        ("ชื่อ: ไม่ทราบ", &[]),
        ("姓名: 未知", &[]),
        ("이름: 미상", &[]),
    ]);
}
