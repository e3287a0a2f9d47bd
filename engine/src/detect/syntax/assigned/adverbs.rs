//! What people put between `is` and a value, in many languages: `the password is actually x`.

use super::assignment::spaces;
use crate::detect::bytes::{WordInitials, at};

/// One word each: `immer noch` is two of them.
#[rustfmt::skip]
const ADVERBS: &[&str] = &[
    // English
    "actually", "again", "allegedly", "also", "always", "apparently", "basically", "currently", "definitely", "exactly", "indeed",
    "initially", "just", "literally", "maybe", "normally", "now", "obviously", "only", "originally", "perhaps", "presumably",
    "probably", "really", "simply", "still", "supposedly", "technically", "temporarily", "unfortunately", "usually",
    // German
    "aktuell", "angeblich", "anschließend", "auch", "derzeit", "doch", "eigentlich", "einfach", "halt", "immer", "jetzt", "leider", "momentan", "natürlich",
    "noch", "normalerweise", "nun", "nur", "offenbar", "schon", "tatsächlich", "vermutlich", "vorläufig", "wahrscheinlich",
    "weiterhin", "wieder", "wirklich", "wohl", "zurzeit", "übrigens",
    // French
    "actuellement", "apparemment", "aussi", "donc", "désormais", "encore", "juste", "maintenant", "normalement", "probablement",
    "provisoirement", "seulement", "simplement", "toujours", "vraiment",
    // Spanish and Portuguese
    "actualmente", "agora", "ahora", "ainda", "apenas", "atualmente", "aún", "normalmente", "probablemente", "provavelmente", "realmente",
    "sempre", "siempre", "simplemente", "simplesmente", "solo", "só", "sólo", "también", "também", "temporalmente", "temporariamente", "todavía",
    // Italian
    "adesso", "anche", "ancora", "attualmente", "davvero", "ora", "probabilmente", "semplicemente", "temporaneamente",
    // Dutch, Swedish, Danish and Norwegian
    "altijd", "altid", "alltid", "bara", "bare", "eigenlijk", "egentlig", "egentligen", "fortfarande", "fortsatt", "gewoon", "helaas",
    "momenteel", "nog", "nu", "nå", "också", "også", "ook", "stadig", "steeds", "tijdelijk", "tyvärr", "waarschijnlijk", "weer",
    // Polish and Czech
    "aktualnie", "aktuálně", "chyba", "nadal", "następnie", "niestety", "nyní", "obecnie", "pořád", "prawdopodobnie", "prostě", "stále", "teraz", "teď",
    "tylko", "tymczasowo", "vždy", "wciąż", "właściwie", "zawsze",
    // Russian, Ukrainian and Turkish
    "всегда", "завжди", "зараз", "пока", "просто", "сейчас", "теперь", "тепер", "только", "artık", "hala", "hâlâ", "şimdi",
];

static STARTS: WordInitials = WordInitials::of(ADVERBS);

/// Where the adverbs end that begin at `start`, with the space behind them.
pub(super) fn end(text: &[u8], start: usize) -> usize {
    const MOST: usize = 3;
    let mut end = start;
    for _ in 0..MOST {
        let Some(next) = one_end(text, end) else {
            break;
        };
        end = next;
    }
    end
}

fn one_end(text: &[u8], start: usize) -> Option<usize> {
    let ends = STARTS.at(text, start).map(|adverb| start + adverb.len());
    ends.filter(|&end| at(text, end) == b' ')
        .map(|end| spaces(text, end))
        .next()
}
