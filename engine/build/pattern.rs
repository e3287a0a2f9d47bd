//! Parses the pattern language of the rule files.

/// A part of a pattern.
pub(crate) enum Node {
    /// `min` to `max` bytes of a set of ASCII characters.
    Class {
        set: u128,
        min: u16,
        max: u16,
    },
    /// `min` to `max` times one of the branches.
    Group {
        branches: Vec<Vec<Node>>,
        min: u16,
        max: u16,
    },
    ValueStart,
    ValueEnd,
}

/// Longest repetition, standing for "without end" as well.
pub(crate) const MAX_REPEAT: u16 = 4096;
/// The most repetitions of a group, so that matching does not nest deeply.
const MAX_GROUPS: u16 = 64;
const ANY: u128 = !(1 << b'\n');
const DIGITS: u128 = range(b'0', b'9');
const WORD: u128 = DIGITS | range(b'a', b'z') | range(b'A', b'Z') | 1 << b'_';
const SPACE: u128 = 1 << b' ' | 1 << b'\t' | 1 << b'\n' | 1 << b'\r';

pub(crate) fn parse(pattern: &str, nocase: bool) -> Result<Vec<Node>, String> {
    if !pattern.is_ascii() {
        return Err("the pattern is not ASCII".to_owned());
    }
    let mut parser = Parser {
        rest: pattern.as_bytes(),
        nocase,
    };
    let mut branches = parser.branches()?;
    if !parser.rest.is_empty() {
        return Err("unbalanced )".to_owned());
    }
    if branches.len() == 1
        && let Some(only) = branches.pop()
    {
        return Ok(only);
    }
    Ok(vec![Node::Group {
        branches,
        min: 1,
        max: 1,
    }])
}

const fn range(first: u8, last: u8) -> u128 {
    let mut set = 0;
    let mut byte = first;
    while byte <= last {
        set |= 1 << byte;
        byte += 1;
    }
    set
}

struct Parser<'a> {
    rest: &'a [u8],
    nocase: bool,
}

impl Parser<'_> {
    fn branches(&mut self) -> Result<Vec<Vec<Node>>, String> {
        let mut branches = vec![self.sequence()?];
        while self.eat(b"|") {
            branches.push(self.sequence()?);
        }
        Ok(branches)
    }

    fn sequence(&mut self) -> Result<Vec<Node>, String> {
        let mut nodes = Vec::new();
        while let Some(&byte) = self.rest.first() {
            match byte {
                b'|' | b')' => break,
                b'(' => self.group(&mut nodes)?,
                _ => {
                    let set = self.class()?;
                    let (min, max) = self.repetition()?;
                    nodes.push(Node::Class {
                        set: self.fold(set),
                        min,
                        max,
                    });
                }
            }
        }
        Ok(nodes)
    }

    fn group(&mut self, nodes: &mut Vec<Node>) -> Result<(), String> {
        let value = self.eat(b"(?P<value>");
        let plain = |parser: &mut Self| {
            parser.eat(b"(?:") || parser.eat(b"(") && parser.rest.first() != Some(&b'?')
        };
        if !value && !plain(self) {
            return Err("unknown group".to_owned());
        }
        let mut branches = self.branches()?;
        if !self.eat(b")") {
            return Err("unbalanced (".to_owned());
        }
        let (min, max) = self.repetition()?;
        if max > MAX_GROUPS && max < MAX_REPEAT || min > MAX_GROUPS {
            return Err(format!("a group is repeated more than {MAX_GROUPS} times"));
        }
        let max = max.min(MAX_GROUPS);
        if !value {
            nodes.push(Node::Group { branches, min, max });
            return Ok(());
        }
        if (min, max) != (1, 1) {
            return Err("the value cannot be repeated".to_owned());
        }
        nodes.push(Node::ValueStart);
        match branches.len() {
            1 => nodes.append(&mut branches[0]),
            _ => nodes.push(Node::Group { branches, min, max }),
        }
        nodes.push(Node::ValueEnd);
        Ok(())
    }

    fn class(&mut self) -> Result<u128, String> {
        match self.next()? {
            b'[' => self.set(),
            b'\\' => self.escape(),
            b'.' => Ok(ANY),
            byte @ (b'{' | b'}' | b'?' | b'*' | b'+' | b'^' | b'$' | b']') => {
                Err(format!("{} must be escaped", byte as char))
            }
            byte => Ok(1 << byte),
        }
    }

    fn set(&mut self) -> Result<u128, String> {
        let negated = self.eat(b"^");
        let mut set = 0;
        loop {
            let first = match self.next()? {
                b']' => break,
                b'\\' => self.escape()?,
                byte => 1 << byte,
            };
            let is_range = self.rest.first() == Some(&b'-') && self.rest.get(1) != Some(&b']');
            if !is_range {
                set |= first;
                continue;
            }
            self.next()?;
            let last = match self.next()? {
                b'\\' => self.escape()?,
                byte => 1 << byte,
            };
            let (from, to) = (single(first)?, single(last)?);
            if from > to {
                return Err("a range runs backwards".to_owned());
            }
            set |= range(from, to);
        }
        Ok(if negated { !set } else { set })
    }

    fn escape(&mut self) -> Result<u128, String> {
        Ok(match self.next()? {
            b'd' => DIGITS,
            b'w' => WORD,
            b's' => SPACE,
            b'n' => 1 << b'\n',
            b'r' => 1 << b'\r',
            b't' => 1 << b'\t',
            byte if byte.is_ascii_punctuation() => 1 << byte,
            byte => return Err(format!("unknown escape \\{}", byte as char)),
        })
    }

    fn repetition(&mut self) -> Result<(u16, u16), String> {
        let (min, max) = match self.rest.first() {
            Some(b'?') => (0, 1),
            Some(b'*') => (0, MAX_REPEAT),
            Some(b'+') => (1, MAX_REPEAT),
            Some(b'{') => return self.counts(),
            _ => return Ok((1, 1)),
        };
        self.next()?;
        Ok((min, max))
    }

    fn counts(&mut self) -> Result<(u16, u16), String> {
        let end = self
            .rest
            .iter()
            .position(|&byte| byte == b'}')
            .ok_or("unbalanced {")?;
        let text = String::from_utf8_lossy(&self.rest[1..end]).into_owned();
        self.rest = &self.rest[end + 1..];
        let number = |text: &str| text.parse::<u16>().map_err(|_| "bad count".to_owned());
        let (min, max) = match text.split_once(',') {
            None => (number(&text)?, number(&text)?),
            Some((min, "")) => (number(min)?, MAX_REPEAT),
            Some((min, max)) => (number(min)?, number(max)?),
        };
        if min > max || max > MAX_REPEAT {
            return Err("bad count".to_owned());
        }
        Ok((min, max))
    }

    fn fold(&self, set: u128) -> u128 {
        const UPPER: u128 = range(b'A', b'Z');
        const LOWER: u128 = range(b'a', b'z');
        if self.nocase {
            set | (set & UPPER) << 32 | (set & LOWER) >> 32
        } else {
            set
        }
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        let Some(rest) = self.rest.strip_prefix(text) else {
            return false;
        };
        self.rest = rest;
        true
    }

    fn next(&mut self) -> Result<u8, String> {
        let (&byte, rest) = self.rest.split_first().ok_or("the pattern breaks off")?;
        self.rest = rest;
        Ok(byte)
    }
}

fn single(set: u128) -> Result<u8, String> {
    if set.is_power_of_two() {
        u8::try_from(set.trailing_zeros()).map_err(|error| error.to_string())
    } else {
        Err("a range of classes".to_owned())
    }
}
