//! Which four bytes of a literal are rare in ordinary text.

/// Bytes of a gram.
pub(super) const GRAM: usize = 4;
/// Grams that begin beyond this place in a literal do not count.
const LONGEST: u8 = 100;

/// Where in a literal of five bytes or more the rarest gram begins of those at even places, and of those at odd ones.
pub(super) fn rarest(text: &[u8]) -> [u8; 2] {
    [0, 1].map(|first| {
        let rarities = text.array_windows().map(|gram| rarity(*gram));
        (0..LONGEST)
            .zip(rarities)
            .skip(first)
            .step_by(2)
            .max_by_key(|(_, rarity)| *rarity)
            .map_or(0, |(offset, _)| offset)
    })
}

/// Bits of surprise in a gram, by its pairs.
fn rarity(gram: [u8; GRAM]) -> u32 {
    let [first, second, third, fourth] = gram.map(symbol);
    let pairs = surprise(first, second) + surprise(second, third) + surprise(third, fourth);
    // What two pairs share counts once.
    pairs.saturating_sub(alone(second) + alone(third))
}

/// Bits of surprise in a symbol that stands anywhere.
fn alone(symbol: usize) -> u32 {
    ALONE.get(symbol).map_or(0, |level| u32::from(level - b'a'))
}

fn surprise(first: usize, second: usize) -> u32 {
    let level = SURPRISE.get(first).and_then(|row| row.get(second)).copied();
    u32::from(level.unwrap_or(b'z') - b'a')
}

/// The row or column of a byte: letters, digits, white space, `_ - . / : " =`, anything else.
fn symbol(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => usize::from(byte - b'a'),
        b'A'..=b'Z' => usize::from(byte - b'A'),
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

/// Bits of surprise (`a` is none) of each pair of symbols, counted over source code, documents and logs.
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
