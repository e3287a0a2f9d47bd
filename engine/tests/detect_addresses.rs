//! Postal addresses of many countries, on one line and on several, and lookalikes.

use crate::support::unnamed as found;

use engine::EntityType;
use found::{detections, found, leaves};

/// Addresses are marked with ⟦ ⟧.
const ADDRESSES: &[&str] = &[
    "⟦Bağdat Caddesi No: 15, 34710 İstanbul⟧",
    "⟦Fevzi Çakmak Cad. No:41/A, 55030 Samsun⟧",
    "⟦Cumhuriyet Mah. Lale Sok. No:4 D:9\n35330 Balçova/İzmir⟧\n",
    "⟦Am Alten Speicher 4 a, 28195 Bremen⟧",
    "⟦Flat 302, Ropewalk House, 7 Mill Street, Bristol BS1 6XN⟧",
    "⟦7/14 Bowen Street, Fitzroy VIC 3065⟧",
    "wohnt am ⟦Lerchenfelder Gürtel 43/2/11, 1160 Wien⟧ und",
    "⟦Postfach 10 12 44\n40003 Düsseldorf⟧\n",
    "⟦9021 Győr\nBaross Gábor út 18⟧.",
    "⟦88 Rathgar Avenue, Dublin 6⟧ since 2016",
    "⟦22 Strand Road, Portmarnock, Co. Dublin⟧ in March",
    "⟦12 Station Road, Dublin⟧ in March",
    "⟦ul. 3 Maja 27, lok. 4, 20-078 Lublin⟧",
    "Adresse : ⟦Avenue Louise 210 bte 5, 1050 Bruxelles⟧\n",
    "Dirección: ⟦Polígono Malpica, calle E, nave 14, 50016 Zaragoza⟧\n",
    "Delivery address: ⟦Plot No 88, Sector 21, Gurugram, Haryana 122016⟧\n",
    "Ship to ⟦12 Baker Street⟧ please",
    "Address:⟦12 Main Street, Springfield, IL 62701⟧",
    "“⟦12 Main Street, Springfield, IL 62701⟧”",
    "„⟦Hauptstraße 12, 10115 Berlin⟧“",
    "„⟦ul. Długa 5, 00-238 Warszawa⟧”",
    "Address: ⟦7445 Pine Rd, Georgetown, KS 88560⟧",
    "⟦742 Evergreen Terrace, Springfield, IL 62704, USA⟧",
    "lives at ⟦350 Fifth Avenue, Apt 4B, New York, NY 10118⟧.",
    "⟦1600 Pennsylvania Avenue NW, Washington, DC 20500⟧",
    "⟦221B Baker Street\nLondon NW1 6XE⟧\n",
    "⟦Flat 3, 10 Downing Street, London SW1A 2AA⟧",
    "⟦12 George St, Sydney NSW 2000⟧",
    "⟦123 Main St, Toronto, ON M5V 2T6⟧",
    "⟦12, MG Road, Bengaluru 560001⟧",
    "wohnt in der ⟦Hauptstraße 5, 10115 Berlin⟧.",
    "⟦Berliner Str. 12a\n60311 Frankfurt am Main⟧",
    "⟦Mariahilfer Straße 12/5, A-1060 Wien⟧",
    "⟦Bahnhofstrasse 1, CH-8001 Zürich⟧",
    "⟦Hauptstraße 5⟧",
    "habite ⟦12 rue de la Paix⟧ depuis",
    "⟦5 bis, avenue Victor Hugo, 75016 Paris⟧",
    "⟦Calle de Alcalá, 45, 3º B, 28014 Madrid⟧",
    "vive en ⟦Calle Mayor 5⟧ con",
    "empleada en 1992, ⟦Avenida de América 12, 41010 Sevilla⟧",
    "⟦Via Roma 12, 20121 Milano⟧",
    "⟦Via Garibaldi n. 3\n00153 Roma⟧",
    "⟦ul. Długa 7/3, 00-238 Warszawa⟧",
    "mieszka przy ⟦ul. Długa 7/3⟧ od",
    "⟦os. Piastowskie 12/34, bl. 4, kl. B, 61-148 Poznań⟧;",
    "⟦Rua das Flores, 123, 4050-262 Porto⟧",
    "⟦Avenida Paulista, 1578, São Paulo - SP, 01310-200⟧",
    "⟦Keizersgracht 123, 1015 CJ Amsterdam⟧",
    "⟦Storgatan 5, 111 29 Stockholm⟧",
    // Flats and floors of many countries, roads with numbers, and labels of codes.
    "⟦Kirchplatz 4/Top 12, 6020 Innsbruck⟧.",
    "⟦Korte Meer 12 bus 201, 9000 Gent⟧.",
    "⟦Kongensgade 5, st. tv., 5000 Odense⟧ er",
    "⟦Kungsgatan 9, 2 tr, 411 19 Göteborg⟧ gäller",
    "⟦Koivutie 7 as. 12, 90500 Oulu⟧ on",
    "⟦Calle Colón 3, bajo B, 46004 Valencia⟧ desde",
    "⟦Gran Vía 12, piso 3, 48001 Bilbao⟧ ahora",
    "⟦Rua do Almada 55, r/c Dto., 4050-036 Porto⟧ é",
    "⟦Herengracht 401 II, 1017 BP Amsterdam⟧.",
    "⟦Via Torino 18, scala B, int. 7, 20123 Milano MI⟧\n",
    "⟦Av. Reforma #222, Col. Juárez, C.P. 06600, Guadalajara, Jal.⟧\n",
    "⟦400 County Road 12, Salida, CO 81201⟧",
    "⟦Lot 3 Wattle Lane, Dubbo NSW 2830⟧.",
    "⟦C-12, Defence Colony, New Delhi 110024⟧.",
    "⟦B-7, Silver Oak Society, Baner, Pune - 411045⟧ please",
    // Streets without a word for one.
    "wohnhaft ⟦Lindenhof 3, 97070 Würzburg⟧.",
    "Anschrift: ⟦Unter den Eschen 7a, 37073 Göttingen⟧\n",
    "⟦Alte Ziegelei 19\n49080 Osnabrück⟧\n",
    "„⟦Am Krähenwinkel 14, 31785 Hameln⟧“",
    "⟦12, Les Acacias, 34000 Montpellier⟧",
    "⟦Zonnedauw 23, 3904 KR Veenendaal⟧.",
    "⟦Rynek 7\n32-020 Wieliczka⟧\n",
    "adresa ⟦Na Poříčí 1047/26, 110 00 Praha 1⟧.",
    "⟦Mannerheimintie 88, 00250 Helsinki⟧.",
    "at ⟦3 The Green, Bampton OX18 2JW⟧.",
    "⟦77 Cedar Hollow, Boise, ID 83702⟧,",
    // Flats, districts and a place behind the code of another.
    "⟦Vestergade 31, 2. tv., 8000 Aarhus C⟧.",
    "⟦Rua das Flores 114, 2.º Esq., 4050-265 Porto⟧.",
    "⟦22 Strand Road, Sandymount, Dublin 4, D04 X9F2⟧\n",
    "⟦Calle Durango 245, Col. Roma Norte, 06700 Ciudad de México⟧.",
    "⟦Calle Mayor 5, 3.º izda, 28013 Madrid⟧.",
    "⟦Mannerheimintie 12 A 4, 00100 Helsinki⟧.",
    "⟦Rua Augusta 100 | 1100-053 Lisboa⟧\n",
    // With the name of a house, the place before the street, and words for streets of more languages.
    "⟦The Old Rectory, 2 Church Lane, Bampton OX18 2JW⟧",
    "⟦1052 Budapest, Váci utca 12⟧.",
    "⟦Bağdat Caddesi 15, 34710 Kadıköy/İstanbul⟧\n",
    "⟦Str. Mihai Eminescu nr. 12, 010517 București⟧\n",
    "⟦вул. Хрещатик 22, Київ 01001⟧",
    "住所は⟦東京都千代田区丸の内1-9-1⟧です",
    "⟦〒100-0005 東京都千代田区丸の内一丁目9番1号⟧",
    "地址：⟦北京市朝阳区建国路88号⟧。",
    // Streets of more countries, grids, dashes between parts, regions in brackets, and houses with names.
    "⟦Kongens gate 18, 7012 Trondheim⟧",
    "⟦Laugavegur 44, 101 Reykjavík⟧",
    "⟦Narva mnt 44-12, 10150 Tallinn⟧",
    "⟦Vilniaus g. 12-4, LT-01402 Vilnius⟧",
    "⟦Brīvības iela 44-12, Rīga, LV-1011⟧",
    "⟦Slovenska cesta 44, 1000 Ljubljana⟧",
    "⟦Calle 45 # 12-30 Apto 501, Bogotá⟧",
    "⟦Cra 7 No. 71-21, Bogotá⟧",
    "⟦Jl. Sudirman No. 44, Jakarta⟧",
    "au ⟦18 route de Douai⟧ hier",
    "주소: ⟦서울특별시 강남구 테헤란로 448⟧",
    "⟦8 rue Pasteur – 69007 Lyon⟧",
    "⟦Avda. de la Constitución nº 18, 4ºB, 28931 Móstoles (Madrid)⟧",
    "⟦1245, rue Saint-Denis, app. 3, Montréal (Québec) H2X 3J5⟧",
    "⟦1100 S Dixie Hwy, Ste 9, Pompano Beach, FL 33060⟧",
    "⟦Av. Corrientes 1234, C1043 CABA⟧",
    "⟦Vico dei Pensini 4, 73100 Lecce⟧",
    "⟦Flat 2/1, 118 Byres Road, Glasgow G12 8TB⟧",
    "lives at ⟦Rose Cottage, Mill Lane, Bakewell DE45 1AB⟧.",
    // What precedes a street: towns, codes, flats, houses and estates.
    "адрес: ⟦г. Казань, ул. Баумана, д. 12, кв. 5⟧. Тел.",
    "⟦620014, г. Екатеринбург, ул. Малышева, д. 36, оф. 210⟧",
    "⟦вул. Шевченка, 12, м. Львів, 79000⟧",
    "⟦Невский проспект, 28, Санкт-Петербург, 191186⟧",
    "⟦Flat A, 12/F, Tower 3, 88 Queen's Road East, Wan Chai, Hong Kong⟧",
    "⟦Blk 512 Ang Mo Kio Ave 8 #04-12, Singapore 560512⟧",
    "⟦H.No. 42, Sector 15, Gurugram, Haryana 122001⟧",
    "⟦Plot No. 7, Sector 18, Noida, UP 201301⟧",
    "⟦Ballymore House, Naas, Co. Kildare, W91 X2Y3⟧",
    "⟦Résidence Les Acacias, bât. C\n45 avenue Jean Jaurès\n69007 Lyon⟧\n",
    "demeurant à ⟦Angers (49000), 5 rue Toussaint⟧.",
    // More words for streets, codes with the letters of a country, halves, towns behind a small word.
    "⟦Zum Alten Zoll 3, D-50678 Köln⟧",
    "⟦Grote Markt 1, B-8000 Brugge⟧",
    "⟦Obere Gasse 17 1/2, 72070 Tübingen⟧",
    "⟦Åboulevarden 44, 2. tv, 8000 Aarhus C⟧",
    "⟦Trg kralja Tomislava 3, 21000 Split⟧",
    "⟦Polígono Industrial Sur, parcela 4, 46200 Paiporta⟧",
    "⟦Quinta da Bela Vista, Lote 12, 8000-123 Faro⟧",
    "⟦44 av. Foch, 75016 Paris⟧",
    "⟦Jr. Huallaga 355, Cercado de Lima⟧",
    "⟦ул. Шипка 6, ет. 2, 1504 София⟧",
    "주소 ⟦부산광역시 해운대구 센텀중앙로 97, 101동 302호⟧",
    "住所：⟦神奈川県横浜市西区みなとみらい2-3-1⟧\n",
    // What follows is labelled as something else.
    "⟦Hauptplatz 3, 8010 Graz⟧ Fax 030",
    "⟦Vico dei Pensini 4, 73100 Lecce⟧. Cell. 347",
    "⟦10 rue de Rivoli, 75004 Paris⟧ VAT 12",
    "Cím: ⟦1117 Budapest, Fehérvári út 44⟧., tel. 06",
];

#[test]
fn addresses_of_many_countries_are_fully_covered() {
    let mut wrong = Vec::new();
    for text in ADDRESSES {
        let value = text.split(['⟦', '⟧']).nth(1).expect("a marked value");
        let plain = text.replace(['⟦', '⟧'], "");
        let found = found(&plain);
        if found != [("ADDRESS".to_owned(), value)] {
            wrong.push(format!("{text}\n    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn address_lookalikes_are_left() {
    leaves(&[
        "the 9 Supreme Court justices",
        "2 Google Drive files",
        "a 2 way street",
        "in 2019 Abbey Road was reissued",
        "Wall Street fell by 3 %",
        "sent via Node 18 and via HTTP 2",
        "Smith et al. Jones 2019",
        "os.Getenv(\"A\") // os. Getenv 5x",
        "String 5, Spring 4, Platz 3, Weg 2",
        "see Section 5 Data Way forward",
        "Rd 5, St 6: registers Rd and Rs",
        "let street = 12;",
        "version 1.2 Main Street",
        "at 10:12 Main Street was quiet",
        "src/map.rs:12 Main Street is drawn",
        "the Free Software Foundation, 51 Franklin Street, Fifth Floor, Boston, MA 02110-1301 USA",
        "Copyright 2002, 2003 Nokia Corporation\nCopyright 1998, 1999 University of Utah",
        "Copyright (C) 1991-1997, Thomas G. Lane.",
        "2007 Example Factory\n2020-2021 Other Maker\n",
        "August 26, 2011 Berlin",
        "51 Franklin Street, Fifth Floor,\nBoston, MA 02110-1301",
        "Kapitel 3, 10000 Exemplare",
        "Version 2, 12345 Downloads and 3, 20000 Users",
        "Am Montag kamen 14, 10000 Menschen blieben",
        "Worker 4, 10234 Requests",
        "[Thread 3, 45120 Bytes read]",
        "Table 2\n10115 Rows\n",
        "Model 3, Revision AB1 2CD",
        "See Figure 3, Table A1 and Part B2 2AA.",
        "第3号",
        "県の人口は100万人です",
        "the Golden gate 5 and the route 66",
        "Main Office, Park Lane, London",
        "Transversal 4 # 5",
        "see route 2 de secours",
        "Diagonal 3 matrix",
        "Disk full in Sector 15, Block 3",
        "Section 4, Tower 3, Floor 2",
    ]);
}

#[test]
fn address_parts_are_found_by_their_json_keys() {
    let found = |name, value: &str| {
        let found = detections(value, Some(name)).into_iter();
        found
            .map(|found| (found.entity, found.end - found.start))
            .collect::<Vec<_>>()
    };
    for (name, value) in [
        ("street", "Elm 12"),
        ("street_address", "1 Infinite Loop"),
        ("addressLine1", "House 7, Green Lane"),
        ("postal_code", "SW1A 2AA"),
        ("zip", "88560"),
        ("plz", "10115"),
    ] {
        assert_eq!(
            found(name, value),
            [(EntityType::ADDRESS, value.len())],
            "{name}"
        );
    }
    for (name, value) in [
        ("address", "https://example.org/a 1"),
        ("street", "Street"),
        ("zip", "archive.zip"),
        ("postal_code", "code 1"),
    ] {
        assert_eq!(found(name, value), [], "{name}");
    }
}

#[test]
fn addresses_in_a_table_end_at_cell_borders() {
    let text = "id,name,street,city,state,zip\n1,Ada Lin,77 Via Almaden,San Jose,CA,95120\n";
    assert_eq!(
        found(text),
        [
            ("ADDRESS".to_owned(), "77 Via Almaden"),
            ("ADDRESS".to_owned(), "95120")
        ]
    );
    let below = "id,street,zip\n1,Elm Road 4,02139\n\nNow at 12 Baker Street, London NW1 6XE.";
    assert!(found(below).contains(&("ADDRESS".to_owned(), "12 Baker Street, London NW1 6XE")));
}
