//! Values that are secret: what people think up, and what machines draw.

use super::half::Half;
use super::names::{Takes, capitalised};
use super::random::Random;
use super::words::Words;

/// How a value is made.
type Make = fn(&mut Random, &Words, Half) -> String;

/// What people think up. More common ones stand twice.
#[rustfmt::skip]
const HUMAN: &[(&str, Make)] = &[
    ("word", word), ("word", word), ("foreign-word", foreign), ("capital-word", capital), ("accented", accented), ("word-digits", word_digits), ("word-digits", word_digits),
    ("foreign-digits", foreign_digits), ("capital-sign", capital_sign), ("capital-sign", capital_sign), ("words", joined), ("words", joined), ("leet", leet), ("walk", walk),
    ("name-year", name_year), ("season", season), ("passphrase", passphrase), ("default", default), ("default", default), ("pin", pin), ("spaced", spaced),
    ("escaped", escaped), ("pronounceable", pronounceable), ("initials", initials),
];

/// What machines draw.
#[rustfmt::skip]
const DRAWN: &[(&str, Make)] = &[
    ("hex", hex), ("base64", base64), ("base64url", base64_url), ("alnum", alnum), ("alnum", alnum), ("lower-alnum", lower_alnum),
    ("upper-alnum", upper_alnum), ("uuid", uuid),
];

/// What password managers draw.
const SHORT: &[(&str, Make)] = &[
    ("symbols", symbols),
    ("short-alnum", short_alnum),
    ("grouped", grouped),
];

/// A value, and how it was made.
pub(super) fn draw(random: &mut Random, half: Half, takes: Takes) -> (&'static str, String) {
    let list = match takes {
        Takes::Password if random.below(10) < 7 => HUMAN,
        Takes::Password if random.below(3) < 2 => SHORT,
        _ => DRAWN,
    };
    let (kind, make) = random.pick(list);
    (kind, make(random, Words::get(half), half))
}

/// Whether a kind is made of words or other things that people remember.
#[must_use]
pub fn is_human(kind: &str) -> bool {
    HUMAN.iter().any(|(name, _)| *name == kind)
}

fn word(random: &mut Random, words: &Words, _: Half) -> String {
    long(random, &words.english)
}

fn foreign(random: &mut Random, words: &Words, _: Half) -> String {
    long(random, &words.foreign)
}

fn capital(random: &mut Random, words: &Words, _: Half) -> String {
    let list = if random.one_in(2) {
        &words.english
    } else {
        &words.foreign
    };
    capitalised(&long(random, list))
}

/// `Nebelkrähe7`, `źródło`: a word with letters outside ASCII, with a number or not.
fn accented(random: &mut Random, words: &Words, _: Half) -> String {
    const LETTERS: &[(char, &[char])] = &[
        ('a', &['ä', 'á', 'å', 'ã', 'ą']),
        ('c', &['ç', 'ć', 'č']),
        ('e', &['é', 'è', 'ë', 'ę', 'ě']),
        ('i', &['í', 'ï', 'ı']),
        ('l', &['ł']),
        ('n', &['ñ', 'ń']),
        ('o', &['ö', 'ó', 'ø', 'õ']),
        ('s', &['ś', 'š', 'ş']),
        ('u', &['ü', 'ú', 'ů']),
        ('z', &['ż', 'ž']),
    ];
    let word = long(random, &words.foreign);
    let accents = |letter: char| LETTERS.iter().find(|(plain, _)| *plain == letter);
    let places: Vec<usize> = word
        .char_indices()
        .filter(|(_, letter)| accents(*letter).is_some())
        .map(|(place, _)| place)
        .collect();
    let accented = if places.is_empty() {
        usize::MAX
    } else {
        random.pick(&places)
    };
    let word: String = word
        .char_indices()
        .map(|(place, letter)| match accents(letter) {
            Some((_, with)) if place == accented => random.pick(with),
            _ => letter,
        })
        .collect();
    let word = if random.one_in(2) {
        capitalised(&word)
    } else {
        word
    };
    if random.one_in(3) {
        word
    } else {
        word + &digits(random)
    }
}

/// A word of six letters or more.
fn long(random: &mut Random, of: &[&str]) -> String {
    loop {
        let word = random.pick(of);
        if word.len() >= 6 {
            return word.to_owned();
        }
    }
}

fn any<'a>(random: &mut Random, words: &'a Words) -> &'a str {
    let list = match random.below(8) {
        0..4 => &words.english,
        4..7 => &words.foreign,
        _ => &words.places,
    };
    random.pick(list)
}

fn word_digits(random: &mut Random, words: &Words, _: Half) -> String {
    let word = any(random, words);
    format!("{word}{}", digits(random))
}

fn foreign_digits(random: &mut Random, words: &Words, _: Half) -> String {
    let word = capitalised(random.pick(&words.foreign));
    format!("{word}{}", digits(random))
}

fn digits(random: &mut Random) -> String {
    match random.below(5) {
        0 => "123".to_owned(),
        1 => random.between(1950, 2029).to_string(),
        2 => random.between(1, 9).to_string(),
        3 => random.between(10, 99).to_string(),
        _ => random.between(100, 9999).to_string(),
    }
}

fn sign(random: &mut Random) -> char {
    random.pick(&[
        '!', '!', '!', '@', '#', '$', '*', '?', '.', '_', '-', '+', '%', '&', '=',
    ])
}

fn capital_sign(random: &mut Random, words: &Words, _: Half) -> String {
    let (word, digits, sign) = (
        capitalised(any(random, words)),
        digits(random),
        sign(random),
    );
    match random.below(4) {
        0 => format!("{word}{sign}{digits}"),
        1 => format!("{digits}{sign}{word}"),
        2 => format!("{sign}{word}{digits}"),
        _ => format!("{word}{digits}{sign}"),
    }
}

fn joined(random: &mut Random, words: &Words, _: Half) -> String {
    let count = random.between(2, 3);
    let separator = random.pick(&["", "", "", "-", "_", "."]);
    let capitals = random.one_in(2);
    let parts: Vec<String> = (0..count)
        .map(|_| {
            let word = any(random, words);
            if capitals {
                capitalised(word)
            } else {
                word.to_owned()
            }
        })
        .collect();
    let end = if random.one_in(2) {
        digits(random)
    } else {
        String::new()
    };
    parts.join(separator) + &end
}

fn leet(random: &mut Random, words: &Words, _: Half) -> String {
    let word = loop {
        let word = any(random, words);
        if word.len() >= 6 && word.contains(['a', 'e', 'i', 'o', 's']) {
            break word;
        }
    };
    let word: String = word
        .chars()
        .map(|letter| match letter {
            'a' if random.one_in(2) => '@',
            'a' => '4',
            'e' => '3',
            'i' => '1',
            'o' => '0',
            's' if random.one_in(2) => '$',
            's' => '5',
            other => other,
        })
        .collect();
    match random.below(3) {
        0 => capitalised(&word) + &digits(random),
        1 => capitalised(&word),
        _ => word,
    }
}

fn walk(random: &mut Random, _: &Words, half: Half) -> String {
    const WALKS: &[&str] = &[
        "qwertyui",
        "qwerty",
        "asdfgh",
        "asdfjkl",
        "zxcvbnm",
        "1qaz2wsx",
        "qazwsxedc",
        "zaq12wsx",
        "1q2w3e4r",
        "q1w2e3r4",
        "qweasdzxc",
        "poiuytrewq",
        "mnbvcxz",
        "azerty",
        "qwertz",
        "yxcvbnm",
        "!QAZ2wsx",
        "wsxedc",
        "rfvtgb",
        "dvorak",
    ];
    let walk = one_of(random, WALKS, half);
    match random.below(3) {
        0 => format!("{walk}{}!", digits(random)),
        1 => format!("{}{}", capitalised(walk), digits(random)),
        _ => format!("{walk}{}", random.between(10, 999)),
    }
}

fn name_year(random: &mut Random, words: &Words, _: Half) -> String {
    let name = random.pick(&words.people);
    let name = if random.one_in(2) {
        capitalised(name)
    } else {
        name.to_owned()
    };
    let year = random.between(1955, 2026);
    match random.below(4) {
        0 => format!("{name}{}", year % 100 + 100 * usize::from(year % 100 < 10)),
        1 => format!("{name}{}{year}", sign(random)),
        2 => format!("{name}{year}{}", sign(random)),
        _ => format!("{name}{year}"),
    }
}

fn season(random: &mut Random, _: &Words, half: Half) -> String {
    const SEASONS: &[&str] = &[
        "Spring", "Summer", "Autumn", "Winter", "January", "March", "May", "October", "Monday",
        "Friday", "Sommer", "Herbst", "Lato", "Zima", "Verano", "Invierno", "Welcome", "Company",
        "Admin", "Office", "Hello", "Change", "Start", "Login",
    ];
    let season = one_of(random, SEASONS, half);
    format!("{season}{}{}", random.between(2015, 2027), sign(random))
}

fn passphrase(random: &mut Random, words: &Words, _: Half) -> String {
    let separator = random.pick(&["-", "-", "-", ".", "_"]);
    let list = if random.one_in(4) {
        &words.foreign
    } else {
        &words.english
    };
    let parts: Vec<&str> = (0..random.between(4, 5))
        .map(|_| random.pick(list))
        .collect();
    parts.join(separator)
}

fn spaced(random: &mut Random, words: &Words, _: Half) -> String {
    let list = if random.one_in(4) {
        &words.foreign
    } else {
        &words.english
    };
    let count = random.between(4, 6);
    let mut parts: Vec<String> = (0..count).map(|_| random.pick(list).to_owned()).collect();
    if random.one_in(2) {
        parts.insert(random.below(count), random.between(2, 9999).to_string());
    }
    parts.join(" ")
}

fn default(random: &mut Random, _: &Words, half: Half) -> String {
    const DEFAULTS: &[&str] = &[
        "admin",
        "root",
        "changeme",
        "postgres",
        "guest",
        "qwerty",
        "123456",
        "12345678",
        "1234",
        "111111",
        "example",
        "test",
        "demo",
        "master",
        "welcome",
        "default",
        "mysql",
        "redis",
        "rabbitmq",
        "mongo",
        "minio",
        "grafana",
        "elastic",
        "tomcat",
        "oracle",
        "manager",
        "vagrant",
        "ubuntu",
        "abc123",
        "dragon",
        "changeit",
        "supersecret",
        "letmein",
        "letmein1",
        "admin123",
        "Welcome1!",
        "Welcome123",
        "P@ssw0rd",
        "P@ssw0rd1",
        "Passw0rd!",
        "password1",
        "password123",
        "Password1!",
        "passw0rd",
        "pa55word",
        "secret123",
        "s3cr3t",
        "s3cret",
        "topsecret",
        "hunter2",
        "iloveyou",
        "trustno1",
        "correcthorse",
        "admin1234",
        "root123",
        "toor",
        "guest123",
        "default1",
        "test1234",
        "Test1234!",
        "user1234",
        "abc12345",
        "Abcd1234",
        "abcd1234!",
        "qwe123",
        "1q2w3e",
        "mysecretpassword",
        "verysecret",
        "notsecure",
        "insecure1",
        "opensesame",
        "sesame99",
        "postgres1",
        "mysql123",
        "redis123",
        "rootpass",
        "adminpass",
        "dbpassword1",
        "dbpass",
        "app_password_1",
        "raspberry",
        "vagrant1",
        "minioadmin",
        "guestguest",
        "sa_Password1",
        "yourStrong(!)Password",
        "Pa$$w0rd",
        "administrator1",
        "masterkey1",
        "superuser1",
        "ChangeMe123!",
        "changeme123",
        "hackme",
        "god123",
        "monkey12",
        "dragon99",
        "baseball7",
    ];
    one_of(random, DEFAULTS, half).to_owned()
}

/// One of the entries of a half.
pub(super) fn one_of<'a>(random: &mut Random, list: &[&'a str], half: Half) -> &'a str {
    loop {
        let entry = random.pick(list);
        if half.has(entry) {
            return entry;
        }
    }
}

fn pin(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.pick(&[4, 4, 6, 6, 8]);
    from(random, "0123456789", length)
}

/// With a quote or a backslash in it.
fn escaped(random: &mut Random, words: &Words, _: Half) -> String {
    let sign = random.pick(&["\"", "'", "\\", "<", ">", "&", "'\""]);
    format!(
        "{}{sign}{}{}",
        capitalised(any(random, words)),
        any(random, words),
        digits(random)
    )
}

/// `Tovelim4`: syllables.
fn pronounceable(random: &mut Random, _: &Words, _: Half) -> String {
    let syllables = random.between(3, 4);
    let mut word = String::new();
    for _ in 0..syllables {
        word += &from(random, "bcdfghjklmnprstvwz", 1);
        word += &from(random, "aeiou", 1);
        if random.one_in(3) {
            word += &from(random, "lmnrst", 1);
        }
    }
    capitalised(&word) + &digits(random)
}

/// `IwbitSo72!`: first letters of a sentence.
fn initials(random: &mut Random, words: &Words, _: Half) -> String {
    let mut letters = String::new();
    for _ in 0..random.between(5, 8) {
        let first = any(random, words).chars().take(1);
        if random.one_in(3) {
            letters.extend(first.flat_map(char::to_uppercase));
        } else {
            letters.extend(first);
        }
    }
    format!("{letters}{}{}", random.between(10, 99), sign(random))
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Characters drawn from an alphabet of ASCII.
pub(super) fn from(random: &mut Random, alphabet: &str, length: usize) -> String {
    (0..length)
        .map(|_| char::from(random.pick(alphabet.as_bytes())))
        .collect()
}

pub(super) fn hex_of(random: &mut Random, length: usize) -> String {
    from(random, "0123456789abcdef", length)
}

pub(super) fn base64_of(random: &mut Random, length: usize) -> String {
    from(random, &format!("{ALNUM}+/"), length)
}

pub(super) fn alnum_of(random: &mut Random, length: usize) -> String {
    from(random, ALNUM, length)
}

fn hex(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.pick(&[24, 32, 32, 40, 48, 64]);
    hex_of(random, length)
}

fn base64(random: &mut Random, _: &Words, _: Half) -> String {
    match random.below(3) {
        0 => base64_of(random, 43) + "=",
        1 => base64_of(random, 22) + "==",
        _ => base64_of(random, 40),
    }
}

fn base64_url(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(24, 64);
    let value = from(random, &format!("{ALNUM}-_"), length - 2);
    // Ends and begins as most do, so that no form takes it for a flag.
    format!("{}{value}{}", alnum_of(random, 1), alnum_of(random, 1))
}

fn alnum(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(20, 64);
    alnum_of(random, length)
}

fn lower_alnum(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(20, 48);
    from(random, LOWER, length)
}

fn upper_alnum(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(20, 40);
    from(random, UPPER, length)
}

fn short_alnum(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(8, 18);
    alnum_of(random, length)
}

fn symbols(random: &mut Random, _: &Words, _: Half) -> String {
    let length = random.between(10, 24);
    format!(
        "{}{}",
        alnum_of(random, 1),
        from(random, &format!("{ALNUM}!#$%&*+-.:=?@^_~"), length)
    )
}

/// `vupjy4-Rebsax-qyhfor`: as phones draw them.
fn grouped(random: &mut Random, _: &Words, _: Half) -> String {
    (0..3)
        .map(|_| from(random, ALNUM, 6))
        .collect::<Vec<_>>()
        .join("-")
}

pub(super) fn uuid(random: &mut Random, _: &Words, _: Half) -> String {
    [8, 4, 4, 4, 12]
        .map(|length| hex_of(random, length))
        .join("-")
}
