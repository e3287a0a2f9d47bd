//! Chooses the four bytes of a literal that are rarest in ordinary text.

/// Bytes of a gram.
pub(in crate::detect) const GRAM: usize = 4;
/// Grams that begin beyond this place in a literal do not count.
const LONGEST: u8 = 100;

/// Where in a literal of five bytes or more the rarest gram begins of those at even places, and of those at odd ones.
pub(in crate::detect) fn rarest(text: &[u8]) -> [u8; 2] {
    let mut rarest = [0; 2];
    let (first, rest) = text.split_at_checked(GRAM - 1).unwrap_or_default();
    let gram = Gram::default();
    let mut gram = first.iter().fold(gram, |gram, byte| gram.then(*byte));
    for (offset, byte) in (0..LONGEST).zip(rest) {
        gram = gram.then(*byte);
        let rarest = &mut rarest[usize::from(offset % 2)];
        *rarest = gram.rank(offset).max(*rarest);
    }
    rarest.map(|rank| rank.to_le_bytes()[0])
}

/// Common grams of source code and documents, more common than their pairs suggest.
#[rustfmt::skip]
static COMMON: Common = Common::of(&[
    "ability", "address", "allocator", "alpha", "always", "amazon", "apply", "automatically", "block", "borrow",
    "buffer", "callback", "changelog", "cloud", "compression", "connection", "created", "cryptography", "custom",
    "database", "details", "documented", "editor", "enable", "example.com", "executable", "exported", "filesystem",
    "force", "forward", "frame", "hash", "hook", "https://", "identified", "language", "license", "mark", "message",
    "node", "occurrence", "operate", "overload", "package", "padding", "page", "perform", "position", "program",
    "project", "prototype", "provided", "proxy", "public", "push", "repository", "resolver", "response", "revision",
    "scale", "scope", "session", "signature", "simple", "stack", "token", "tools", "tree", "types", "variance",
    "weight", "words", "works", "writestream", "_key",
]);

/// A set of grams by their hashes; a few others count as held.
struct Common([u64; COMMON_PLACES / 64]);

const COMMON_PLACES: usize = 1 << 14;

impl Common {
    /// The grams of words in lower case.
    const fn of(words: &[&str]) -> Self {
        let mut common = Self([0; COMMON_PLACES / 64]);
        let mut rest = words;
        while let [word, others @ ..] = rest {
            let mut word = word.as_bytes();
            while let Some((gram, _)) = word.split_first_chunk() {
                let place = Self::place(u32::from_le_bytes(*gram));
                common.0[place / 64] |= 1 << (place % 64);
                word = word.split_at(1).1;
            }
            rest = others;
        }
        common
    }

    /// Whether the set has a gram of letters in lower case.
    fn holds(&self, gram: u32) -> bool {
        let place = Self::place(gram);
        self.0[place / 64] >> (place % 64) & 1 == 1
    }

    const fn place(gram: u32) -> usize {
        let hash = gram.wrapping_mul(0x9E37_79B1);
        (hash >> (u32::BITS - COMMON_PLACES.ilog2())) as usize
    }
}

/// Four bytes. At the start some 50,000 are read, so each takes over what it shares with the one before.
#[derive(Debug, Clone, Copy, Default)]
struct Gram {
    lower: u32,
    last: u8,
    /// Bits of surprise of its pairs.
    pairs: [u32; 3],
    /// Bits of surprise of its bytes but the first, each by itself.
    alone: [u32; 3],
}

impl Gram {
    /// The gram that begins one byte later and ends with `byte`.
    fn then(self, byte: u8) -> Self {
        let symbol = SYMBOLS[usize::from(byte)];
        let ([_, second, third], [_, beside, last]) = (self.pairs, self.alone);
        Self {
            lower: self.lower >> 8 | u32::from(byte.to_ascii_lowercase()) << 24,
            last: symbol,
            pairs: [second, third, surprise(self.last, symbol)],
            alone: [beside, last, alone(symbol)],
        }
    }

    /// Higher for rarer grams, and among equals for the last. Its lowest byte is the offset.
    fn rank(self, offset: u8) -> u32 {
        let is_uncommon = u32::from(!COMMON.holds(self.lower));
        is_uncommon << 16 | self.rarity() << 8 | u32::from(offset)
    }

    /// Bits of surprise, by its pairs. What two pairs share counts once.
    fn rarity(self) -> u32 {
        let [second, third, _] = self.alone;
        let pairs: u32 = self.pairs.iter().sum();
        pairs.saturating_sub(second + third)
    }
}

/// Bits of surprise of a symbol in any position.
fn alone(symbol: u8) -> u32 {
    let level = ALONE.get(usize::from(symbol));
    level.map_or(0, |level| u32::from(level - b'a'))
}

fn surprise(first: u8, second: u8) -> u32 {
    let row = SURPRISE.get(usize::from(first));
    let level = row.and_then(|row| row.get(usize::from(second))).copied();
    u32::from(level.unwrap_or(b'z') - b'a')
}

/// The symbol of each byte.
static SYMBOLS: [u8; 256] = {
    let mut symbols = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "less than 256")]
        let symbol = symbol(byte as u8);
        symbols[byte] = symbol;
        byte += 1;
    }
    symbols
};

/// The row or column of a byte: letters, digits, white space, `_ - . / : " =`, anything else.
const fn symbol(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => byte - b'a',
        b'A'..=b'Z' => byte - b'A',
        b'0'..=b'9' => 26,
        b' ' | b'\t' | b'\n' | b'\r' => 27,
        b'_' => 28,
        b'-' => 29,
        b'.' => 30,
        b'/' => 31,
        b':' => 32,
        b'"' => 33,
        b'=' => 34,
        _ => 35,
    }
}

/// Bits of surprise of each symbol, in the same letters.
const ALONE: &[u8; 36] = b"ehfgegggfjifgfegjefeghhihjfchhgggghd";

/// Bits of surprise (`a` is none) of each pair of symbols, counted in source code, documents and
/// logs.
const SURPRISE: [&[u8; 36]; 36] = [
    b"mkiimljojnlhihqjphihjlllkmkjnomonnok",
    b"knmmjnpqllqkopkpqlnojqqqkrkmnpkoomsl",
    b"inlnilpiknjjnphnpkmiloppmmklmnnnnmol",
    b"jmmkhmnpjnolnnknqlkmlopplmkikmlnlloj",
    b"iliikjjnlmmijhljjghhmkkikokgjljnjkmh",
    b"jnnnjlmqiqqlnljpqknmkqqrmrkinnkpmnok",
    b"mopoionmjqqmnlkprkkmlppropojmollnmoj",
    b"jpoqhqqpjqpolnjpqlnjkqqqnpnjmompnmok",
    b"kljjijjpopmjjghlqkiiokplpkmlpooooorl",
    b"mqrpkqrqorrqqpmorrlqormqqqonrsosqrsm",
    b"lpopjppqkrropnmpqolnnqmrqpolnpmqnoql",
    b"innjhjmoiqpionimrnjjjmolkqnjlnmnmmoj",
    b"ilomhpoqjqqmlnjjqnlmkqrqmqnjlnnknnql",
    b"injiikipjollnkimrnihkkmplpjhlmlnlkni",
    b"kkjinjlolnkjigjjqhjjikjmonnjlnlnmnqk",
    b"ioonipnmkrojooikqijjkoqolqnlmomnmnpk",
    b"prqrqrqqqqrlrrrqqqpsjrorqrppqtnsroql",
    b"injkgmjpiqlkkjinrjiijlnojmnilnknlloi",
    b"kokohmnkipllmmjjllihjomqlnmhkmjkjkmi",
    b"imklhmmhhpokmnijqijjjommjomhjkjmkkmi",
    b"mjlmimlrkoqikjokriiioqqoqpllsrppopsn",
    b"jrppiqpqkqrqqqmpqrpqpppqqqmnonnnoppm",
    b"kpookqpkjqnpqmlqqllnqpnpnrnknonpnqpl",
    b"kolqmoqolqrppqpkqqokqqqonrmlmnnnmlql",
    b"oomnmooonnomnlljqoklppnqqpojlnlplmoj",
    b"lqqokroqnrpppnnprqpppsoqmpomrrrssqtl",
    b"kkkkkkooopoonoonononooonpnfjlkimjjpi",
    b"hihiiikjhlkjiiiimihhjjinllidljkjlhhg",
    b"klklkknmlnnmlllkpkkkmlmqqrmnktpvrqul",
    b"mnmmnmpnlpplnnnmqnmmnooqqpkktirrnrsl",
    b"kmjlkllmlmnmlllkpkkllmnqrpijlsknsmsi",
    b"lnmmmnknmnqnmnomrklmnonpsrljppohsovk",
    b"onmnnlqonqronlomomnloopqsrlhrnrkjlsi",
    b"lmllllnllonmmlmlpkkkmmmoppkkonmnikqh",
    b"pqopoorpprrrqopptponrpsstwmhrsrswlik",
    b"kkjkkjnkkmllkiljojijkklmnojfmljjjile",
];
