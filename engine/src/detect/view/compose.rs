//! Latin letters with a combining mark, as macOS writes names of files: `u` and U+0308 for `ü`.

use crate::detect::bytes::{before, slice};

/// A mark, the letters that take it, and what each becomes (Unicode, chapter 2.11).
#[rustfmt::skip]
const COMPOSED: &[(char, &str, &str)] = &[
    ('\u{300}', "aeinouwyAEINOUWY", "àèìǹòùẁỳÀÈÌǸÒÙẀỲ"),
    ('\u{301}', "acegiklmnoprsuwyzACEGIKLMNOPRSUWYZ", "áćéǵíḱĺḿńóṕŕśúẃýźÁĆÉǴÍḰĹḾŃÓṔŔŚÚẂÝŹ"),
    ('\u{302}', "aceghijosuwyzACEGHIJOSUWYZ", "âĉêĝĥîĵôŝûŵŷẑÂĈÊĜĤÎĴÔŜÛŴŶẐ"),
    ('\u{303}', "aeinouvyAEINOUVY", "ãẽĩñõũṽỹÃẼĨÑÕŨṼỸ"),
    ('\u{304}', "aegiouyAEGIOUY", "āēḡīōūȳĀĒḠĪŌŪȲ"),
    ('\u{306}', "aegiouAEGIOU", "ăĕğĭŏŭĂĔĞĬŎŬ"),
    ('\u{307}', "abcdefghmnoprstwxyzABCDEFGHIMNOPRSTWXYZ", "ȧḃċḋėḟġḣṁṅȯṗṙṡṫẇẋẏżȦḂĊḊĖḞĠḢİṀṄȮṖṘṠṪẆẊẎŻ"),
    ('\u{308}', "aehiotuwxyAEHIOUWXY", "äëḧïöẗüẅẍÿÄËḦÏÖÜẄẌŸ"),
    ('\u{30a}', "auwyAU", "åůẘẙÅŮ"),
    ('\u{30b}', "ouOU", "őűŐŰ"),
    ('\u{30c}', "acdeghijklnorstuzACDEGHIKLNORSTUZ", "ǎčďěǧȟǐǰǩľňǒřšťǔžǍČĎĚǦȞǏǨĽŇǑŘŠŤǓŽ"),
    ('\u{323}', "abdehiklmnorstuvwyzABDEHIKLMNORSTUVWYZ", "ạḅḍẹḥịḳḷṃṇọṛṣṭụṿẉỵẓẠḄḌẸḤỊḲḶṂṆỌṚṢṬỤṾẈỴẒ"),
    ('\u{327}', "cdeghklnrstCDEGHKLNRST", "çḑȩģḩķļņŗşţÇḐȨĢḨĶĻŅŖŞŢ"),
    ('\u{328}', "aeiouAEIOU", "ąęįǫųĄĘĮǪŲ"),
];

/// Marks take two bytes in UTF-8.
const LENGTH: usize = 2;

/// The letter that the one before a mark at `start` becomes with it, and where the mark ends.
pub(super) fn letter(text: &[u8], start: usize) -> Option<(char, usize)> {
    let mark = slice(text, start, start + LENGTH);
    let base = char::from(before(text, start));
    let mark = std::str::from_utf8(mark).ok()?.chars().next()?;
    Some((composed(base, mark)?, start + LENGTH))
}

/// What a Latin letter becomes with a mark.
pub(super) fn composed(base: char, mark: char) -> Option<char> {
    let (_, letters, composed) = COMPOSED.iter().find(|(known, ..)| *known == mark)?;
    let mut both = letters.chars().zip(composed.chars());
    let (_, letter) = both.find(|(letter, _)| *letter == base)?;
    Some(letter)
}
