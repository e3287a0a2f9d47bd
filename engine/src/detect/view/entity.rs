//! Characters as HTML writes them by number or by name.

use super::compose;
use crate::detect::bytes::{self, at, slice};

/// How far an encoding of its own first character is followed (`%252540`, `&amp;amp;lt;`), in bytes.
pub(super) const LONGEST_NESTED: usize = 64;

/// Longest name, in bytes.
const LONGEST: usize = 10;

/// Signs, and letters that are not one of Latin with a mark: those of HTML 4, which encoders write, and signs of ASCII.
#[rustfmt::skip]
const NAMED: &[(&str, char)] = &[
    ("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\''), ("nbsp", ' '), ("commat", '@'), ("period", '.'),
    ("colon", ':'), ("sol", '/'), ("equals", '='), ("lowbar", '_'), ("num", '#'), ("Tab", '\t'), ("NewLine", '\n'),
    ("shy", '\u{AD}'), ("excl", '!'), ("dollar", '$'), ("percnt", '%'), ("lpar", '('), ("rpar", ')'), ("ast", '*'),
    ("plus", '+'), ("comma", ','), ("semi", ';'), ("quest", '?'), ("lsqb", '['), ("lbrack", '['), ("bsol", '\\'),
    ("rsqb", ']'), ("rbrack", ']'), ("Hat", '^'), ("grave", '`'), ("lcub", '{'), ("lbrace", '{'), ("verbar", '|'),
    ("vert", '|'), ("rcub", '}'), ("rbrace", '}'),
    ("iexcl", '¡'), ("cent", '¢'), ("pound", '£'), ("curren", '¤'), ("yen", '¥'), ("brvbar", '¦'), ("sect", '§'), ("uml", '¨'),
    ("copy", '©'), ("ordf", 'ª'), ("laquo", '«'), ("not", '¬'), ("reg", '®'), ("macr", '¯'), ("deg", '°'), ("plusmn", '±'),
    ("sup2", '²'), ("sup3", '³'), ("acute", '´'), ("micro", 'µ'), ("para", '¶'), ("middot", '·'), ("cedil", '¸'), ("sup1", '¹'),
    ("ordm", 'º'), ("raquo", '»'), ("frac14", '¼'), ("frac12", '½'), ("frac34", '¾'), ("iquest", '¿'), ("times", '×'),
    ("divide", '÷'), ("AElig", 'Æ'), ("aelig", 'æ'), ("OElig", 'Œ'), ("oelig", 'œ'), ("szlig", 'ß'), ("ETH", 'Ð'), ("eth", 'ð'),
    ("THORN", 'Þ'), ("thorn", 'þ'), ("Oslash", 'Ø'), ("oslash", 'ø'), ("Lstrok", 'Ł'), ("lstrok", 'ł'), ("Dstrok", 'Đ'),
    ("dstrok", 'đ'), ("imath", 'ı'), ("inodot", 'ı'), ("fnof", 'ƒ'), ("circ", 'ˆ'), ("tilde", '˜'), ("ensp", ' '), ("emsp", ' '),
    ("thinsp", ' '), ("zwnj", '\u{200C}'), ("zwj", '\u{200D}'), ("lrm", '\u{200E}'), ("rlm", '\u{200F}'), ("ndash", '–'),
    ("mdash", '—'), ("lsquo", '‘'), ("rsquo", '’'), ("sbquo", '‚'), ("ldquo", '“'), ("rdquo", '”'), ("bdquo", '„'),
    ("dagger", '†'), ("Dagger", '‡'), ("bull", '•'), ("hellip", '…'), ("permil", '‰'), ("lsaquo", '‹'), ("rsaquo", '›'),
    ("euro", '€'), ("trade", '™'),
    ("Alpha", 'Α'), ("Beta", 'Β'), ("Gamma", 'Γ'), ("Delta", 'Δ'), ("Epsilon", 'Ε'), ("Zeta", 'Ζ'), ("Eta", 'Η'), ("Theta", 'Θ'),
    ("Iota", 'Ι'), ("Kappa", 'Κ'), ("Lambda", 'Λ'), ("Mu", 'Μ'), ("Nu", 'Ν'), ("Xi", 'Ξ'), ("Omicron", 'Ο'), ("Pi", 'Π'),
    ("Rho", 'Ρ'), ("Sigma", 'Σ'), ("Tau", 'Τ'), ("Upsilon", 'Υ'), ("Phi", 'Φ'), ("Chi", 'Χ'), ("Psi", 'Ψ'), ("Omega", 'Ω'),
    ("alpha", 'α'), ("beta", 'β'), ("gamma", 'γ'), ("delta", 'δ'), ("epsilon", 'ε'), ("zeta", 'ζ'), ("eta", 'η'), ("theta", 'θ'),
    ("iota", 'ι'), ("kappa", 'κ'), ("lambda", 'λ'), ("mu", 'μ'), ("nu", 'ν'), ("xi", 'ξ'), ("omicron", 'ο'), ("pi", 'π'),
    ("rho", 'ρ'), ("sigmaf", 'ς'), ("sigma", 'σ'), ("tau", 'τ'), ("upsilon", 'υ'), ("phi", 'φ'), ("chi", 'χ'), ("psi", 'ψ'),
    ("omega", 'ω'),
];

/// The marks in names of Latin letters: `eacute` is `e` with an acute.
const MARKS: [(&str, char); 13] = [
    ("grave", '\u{300}'),
    ("acute", '\u{301}'),
    ("circ", '\u{302}'),
    ("tilde", '\u{303}'),
    ("macr", '\u{304}'),
    ("breve", '\u{306}'),
    ("dot", '\u{307}'),
    ("uml", '\u{308}'),
    ("ring", '\u{30a}'),
    ("dblac", '\u{30b}'),
    ("caron", '\u{30c}'),
    ("cedil", '\u{327}'),
    ("ogon", '\u{328}'),
];

/// The character of `&quot;`, `&#64;`, `&amp;lt;` at `index`, and where that ends (HTML, section 13.5).
pub(super) fn letter(text: &[u8], index: usize) -> Option<(char, usize)> {
    let mut start = index + 1;
    while start < index + LONGEST_NESTED && slice(text, start, start + 4) == b"amp;" {
        if length(text, start + 4) == 0 {
            break;
        }
        start += 4;
    }
    let end = start + length(text, start);
    let name = str::from_utf8(slice(text, start, end)).ok()?;
    let letter = match name.strip_prefix('#') {
        Some(number) => numbered(number),
        None => named(name),
    };
    Some((letter?, end + 1))
}

/// The length of a name before a semicolon; 0 if there is none.
fn length(text: &[u8], start: usize) -> usize {
    let length = bytes::run(text, start, LONGEST, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'#'
    });
    if at(text, start + length) == b';' {
        length
    } else {
        0
    }
}

/// The character with a number, as HTML writes it: `64`, `x40`.
fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => number.parse(),
    };
    visible(code.ok()?)
}

/// A character, unless it controls something.
pub(super) fn visible(code: u32) -> Option<char> {
    let letter = char::from_u32(code)?;
    (!letter.is_control() || matches!(letter, '\t' | '\n' | '\r')).then_some(letter)
}

fn named(name: &str) -> Option<char> {
    let known = NAMED.iter().find(|(known, _)| *known == name);
    known.map(|(_, letter)| *letter).or_else(|| marked(name))
}

/// `eacute`: a Latin letter, and the name of its mark.
fn marked(name: &str) -> Option<char> {
    let (base, mark) = name.split_at_checked(1)?;
    let (_, mark) = MARKS.iter().find(|(known, _)| *known == mark)?;
    // A dot on another letter has no name; `&sdot;` is an operator.
    let has_name = *mark != '\u{307}' || "cegzCEGIZ".contains(base);
    let base = base.chars().next().filter(|_| has_name)?;
    compose::composed(base, *mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_entity_names_decode_to_their_letters() {
        for (written, expected) in [
            ("&eacute;", Some('é')),
            ("&Uuml;", Some('Ü')),
            ("&szlig;", Some('ß')),
            ("&ccedil;", Some('ç')),
            ("&aring;", Some('å')),
            ("&Oslash;", Some('Ø')),
            ("&lstrok;", Some('ł')),
            ("&zdot;", Some('ż')),
            ("&odblac;", Some('ő')),
            ("&scaron;", Some('š')),
            ("&omega;", Some('ω')),
            ("&rsquo;", Some('’')),
            ("&euro;", Some('€')),
            ("&grave;", Some('`')),
            ("&amp;amp;eacute;", Some('é')),
            ("&#233;", Some('é')),
            ("&#xE9;", Some('é')),
            ("&sdot;", None),
            ("&xcirc;", None),
            ("&eacute", None),
            ("&acute; ", Some('´')),
            ("&;", None),
            ("&é;", None),
        ] {
            let read = letter(written.as_bytes(), 0);
            assert_eq!(read.map(|(letter, _)| letter), expected, "{written}");
        }
    }
}
