//! Names in Chinese, Japanese and Korean letters: next to an honorific, or under a key.

use std::ops::Range;

/// Honorifics after a name in Chinese, Japanese and Korean.
const CHINESE: [&str; 12] = [
    "先生", "女士", "小姐", "太太", "老师", "老師", "医生", "醫生", "教授", "经理", "經理", "同学",
];
const JAPANESE: [&str; 6] = ["さん", "様", "さま", "くん", "ちゃん", "氏"];
const KOREAN: [&str; 2] = ["씨", "님"];
/// Ranks that the honorific follows: `김민수 부장님`.
const KOREAN_RANKS: [&str; 14] = [
    "부장", "과장", "차장", "팀장", "사장", "대리", "선생", "교수", "원장", "대표", "이사", "회장",
    "실장", "고객",
];

/// Ends of sentences in which people say who they are: `担当の中村です`.
const INTRODUCING: [&str; 4] = ["です", "でございます", "と申します", "と言います"];
/// Usual Japanese surnames, which prove a name where no honorific does.
#[rustfmt::skip]
const JAPANESE_SURNAMES: [&str; 96] = [
    "佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "渡邊", "渡邉", "山本", "中村", "小林", "加藤", "吉田", "山田", "佐々木", "山口", "松本", "井上",
    "木村", "斎藤", "斉藤", "齋藤", "清水", "山崎", "阿部", "池田", "橋本", "山下", "石川", "中島", "前田", "藤田", "小川", "後藤", "岡田", "長谷川",
    "村上", "近藤", "石井", "坂本", "遠藤", "青木", "藤井", "西村", "福田", "太田", "三浦", "藤原", "岡本", "松田", "中川", "中野", "原田", "小野",
    "田村", "竹内", "金子", "和田", "中山", "石田", "上田", "森田", "柴田", "酒井", "工藤", "横山", "宮崎", "宮本", "内田", "高木", "安藤", "谷口",
    "大野", "丸山", "今井", "河野", "藤本", "村田", "武田", "上野", "杉山", "増田", "小島", "平野", "大塚", "千葉", "久保", "松井", "岩崎", "桜井",
    "木下", "野口", "菊地", "野村", "新井", "渡部",
];

/// Usual surnames of one letter in Chinese, and in Korean.
const CHINESE_SURNAMES: &str = "王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘于蒋蔣蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾谭譚陆陸汪范金石廖贾賈夏韦韋付方白邹鄒孟熊秦邱江尹薛闫段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴武戴莫孔向汤湯";
const KOREAN_SURNAMES: &str =
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구";
/// Letters of words for roles, which are not names: `お客様`, `担当者さん`.
const ROLES: &str = "客皆者員師長社会店娘母父神王姫奥御各貴";

/// Bytes that the letters of honorifics begin with, and few others, from this one on.
pub(super) const FIRST: u8 = 0xE3;

/// The name before the honorific that begins at `at`.
pub(super) fn before(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    if !matches!(
        rest.chars().next()?,
        'さ' | '様'
            | 'く'
            | 'ち'
            | '氏'
            | 'で'
            | 'と'
            | '叫'
            | '先'
            | '女'
            | '小'
            | '太'
            | '老'
            | '医'
            | '醫'
            | '教'
            | '经'
            | '經'
            | '同'
            | '씨'
            | '님'
    ) {
        return None;
    }
    let begins = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
    let lead = text.get(..at).unwrap_or_default();
    if let Some(name) = rest.strip_prefix('叫') {
        let start = text.len() - name.len();
        return lead
            .ends_with('我')
            .then(|| introduced(name))?
            .map(|length| start..start + length);
    }
    if rest.starts_with(['で', 'と']) {
        let length = begins(&INTRODUCING).then(|| surname_of_own(lead))??;
        return Some(at - length..at);
    }
    if begins(&KOREAN)
        && let Some(end) = before_rank(lead)
    {
        let length = surnamed(lead.get(..end)?, KOREAN_SURNAMES, is_hangul)?;
        return Some(end - length..end);
    }
    let length = if begins(&CHINESE) && !begins(&JAPANESE) {
        surnamed(lead, CHINESE_SURNAMES, is_han)
    } else if begins(&JAPANESE) {
        japanese(lead)
    } else if begins(&KOREAN) {
        surnamed(lead, KOREAN_SURNAMES, is_hangul)
    } else {
        None
    };
    length.map(|length| at - length..at)
}

/// The bytes of the name that begins behind `我叫` and ends its clause.
fn introduced(text: &str) -> Option<usize> {
    let mut letters = text.chars();
    let count = letters
        .by_ref()
        .take_while(|letter| is_han(*letter))
        .count();
    let begins = text.starts_with(|letter| CHINESE_SURNAMES.contains(letter));
    (begins && (2..=3).contains(&count)).then(|| text.chars().take(count).map(char::len_utf8).sum())
}

/// The bytes of the surname at the end of `lead`, of the person who speaks: behind `の`, or where a clause begins.
fn surname_of_own(lead: &str) -> Option<usize> {
    let length = surname_at_end(lead)?;
    let before = lead.get(..lead.len() - length)?.chars().next_back();
    let begins = before.is_none_or(|sign| sign == 'の' || !sign.is_alphanumeric());
    begins.then_some(length)
}

fn surname_at_end(lead: &str) -> Option<usize> {
    let mut known = JAPANESE_SURNAMES.iter();
    known
        .find(|name| lead.ends_with(**name))
        .map(|name| name.len())
}

/// Where the word before a rank at the end of `lead` ends.
fn before_rank(lead: &str) -> Option<usize> {
    let mut ranks = KOREAN_RANKS.iter();
    let before = ranks.find_map(|rank| lead.strip_suffix(rank))?;
    Some(before.trim_end_matches(' ').len())
}

/// The bytes at the end of `lead` that are a common surname followed by at most two letters.
fn surnamed(lead: &str, surnames: &str, is_letter: fn(char) -> bool) -> Option<usize> {
    let letters = lead.char_indices().rev().take(3);
    let letters = letters.take_while(|(_, letter)| is_letter(*letter));
    let first = letters
        .filter(|(_, letter)| surnames.contains(*letter))
        .last();
    first.map(|(index, _)| lead.len() - index)
}

/// The bytes at the end of `lead` that are a name of two to four letters, all Chinese or all katakana.
fn japanese(lead: &str) -> Option<usize> {
    const MOST: usize = 4;
    const MOST_KATAKANA: usize = 12;
    let last = lead.chars().next_back()?;
    let (is_letter, most): (fn(char) -> bool, usize) = if is_katakana(last) {
        (is_katakana, MOST_KATAKANA)
    } else {
        (is_han, MOST)
    };
    let run = || {
        lead.char_indices()
            .rev()
            .take_while(|(_, letter)| is_letter(*letter))
            .take(most + 1)
    };
    let count = run().count();
    let is_role = run().any(|(_, letter)| ROLES.contains(letter));
    let (start, _) = run().last()?;
    if !(2..=most).contains(&count) || is_role {
        return None;
    }
    // `高橋 美咲さん`
    let surname = lead
        .get(..start)
        .and_then(|lead| lead.strip_suffix([' ', '\u{3000}']))
        .and_then(|lead| Some(lead.len() - surname_at_end(lead)?));
    Some(lead.len() - surname.unwrap_or(start))
}

/// The length of the name of two to eight such letters that a text begins with. Behind a space is the given name, and no sentence.
pub(super) fn name_length(text: &str) -> Option<usize> {
    length_within(text).or_else(|| {
        let (first, _) = text.split_once(' ')?;
        length_within(first).filter(|length| *length == first.len())
    })
}

fn length_within(text: &str) -> Option<usize> {
    const MOST: usize = 8;
    let is_letter = |letter: char| {
        is_han(letter) || is_katakana(letter) || is_hangul(letter) || is_hiragana(letter)
    };
    let mut count = 0;
    let mut length = 0;
    for (index, letter) in text.char_indices() {
        let joins = matches!(letter, ' ' | '\u{3000}' | '・' | '·') && count > 0;
        if is_letter(letter) {
            count += 1;
            length = index + letter.len_utf8();
        } else if !joins {
            break;
        }
    }
    (2..=MOST).contains(&count).then_some(length)
}

const fn is_han(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '々')
}

const fn is_hiragana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{3096}')
}

const fn is_katakana(letter: char) -> bool {
    matches!(letter, '\u{30A1}'..='\u{30FA}' | 'ー' | '・')
}

const fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{AC00}'..='\u{D7A3}')
}
