//! History that the provider holds: turns that name it, and what may come back of it.

use std::ops::AddAssign;
use std::sync::{Mutex, PoisonError};

use ::tests::Values;
use serde_json::{Value, json};

use crate::random::Random;

/// The numbers of values that each client has for itself.
const NUMBERS: usize = 1000;

/// How many conversations each client has.
const CONVERSATIONS: u64 = 3;

/// How many responses each client remembers, the last ones.
const REMEMBERED: usize = 12;

/// The values of a turn of a client.
pub(crate) fn values(client: usize, turn: usize) -> Values {
    Values::of(client * NUMBERS + turn % NUMBERS)
}

/// The client with a value that contains this number.
pub(crate) const fn owner(number: usize) -> usize {
    number / NUMBERS
}

/// The text of a turn: a line that identifies its client.
pub(crate) fn line(client: usize, turn: usize) -> String {
    format!("Client {client} turn {turn}: {}", values(client, turn))
}

/// The responses that each client got.
#[derive(Debug)]
pub(crate) struct Histories(Vec<Mutex<Vec<String>>>);

impl Histories {
    pub(crate) fn of(clients: usize) -> Self {
        Self((0..clients).map(|_| Mutex::default()).collect())
    }

    /// The members that name a history, for the most part one of the client's own.
    pub(crate) fn named(&self, client: usize, random: &mut Random) -> Value {
        let whose = if random.once_in(8) {
            random.below(self.0.len())
        } else {
            client
        };
        if random.once_in(3) {
            let conversation = random.between(0, CONVERSATIONS);
            return json!({"conversation": format!("conv_{whose}_{conversation}")});
        }
        let known = self.0[whose].lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            return json!({});
        }
        json!({"previous_response_id": known[random.below(known.len())]})
    }

    /// Remembers the response that a reply names, if it came so far.
    pub(crate) fn remember(&self, client: usize, reply: &str) {
        let id = reply.split_once("\"id\":\"resp_");
        let Some((id, _)) = id.and_then(|(_, rest)| rest.split_once('"')) else {
            return;
        };
        let mut known = self.0[client]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known.push(format!("resp_{id}"));
        let old = known.len().saturating_sub(REMEMBERED);
        known.drain(..old);
    }
}

/// What came back of histories.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Recalled {
    pub(crate) restored: usize,
    pub(crate) left: usize,
}

impl AddAssign for Recalled {
    fn add_assign(&mut self, other: Self) {
        self.restored += other.restored;
        self.left += other.left;
    }
}

/// Checks the lines of a history: each value of the client's own is itself or a token, each of
/// another's a token.
pub(crate) fn check(lines: &str, own: usize) -> Result<Recalled, String> {
    let mut recalled = Recalled::default();
    for line in lines.lines() {
        let (client, turn, text) =
            read(line).ok_or_else(|| format!("no line of a turn: {line}"))?;
        let values = values(client, turn);
        for (shown, value) in parts(text, &values)? {
            let is_restored = shown == value;
            if !is_restored && !is_token(shown) {
                return Err(format!("'{shown}' for {value}"));
            }
            if is_restored && client != own {
                return Err(format!("{value} of client {client}"));
            }
            *if is_restored {
                &mut recalled.restored
            } else {
                &mut recalled.left
            } += 1;
        }
    }
    Ok(recalled)
}

fn read(line: &str) -> Option<(usize, usize, &str)> {
    let (client, rest) = line.strip_prefix("Client ")?.split_once(" turn ")?;
    let (turn, text) = rest.split_once(": ")?;
    Some((client.parse().ok()?, turn.parse().ok()?, text))
}

/// The replacements of the values.
fn parts<'a>(text: &'a str, values: &'a Values) -> Result<Vec<(&'a str, &'a str)>, String> {
    let whole = values.to_string();
    let mut parts = Vec::new();
    let (mut whole, mut rest) = (whole.as_str(), text);
    for value in values.all() {
        let (before, after) = whole.split_once(value).unwrap_or((whole, ""));
        let end = after.split_inclusive(' ').next().unwrap_or_default();
        let shown = rest
            .strip_prefix(before)
            .and_then(|rest| rest.split_once(end));
        let (shown, _) = shown.ok_or_else(|| format!("not what was said: {text}"))?;
        parts.push((shown, value));
        rest = &rest[before.len() + shown.len()..];
        whole = after;
    }
    if rest == whole {
        Ok(parts)
    } else {
        Err(format!("not what was said: {text}"))
    }
}

fn is_token(shown: &str) -> bool {
    let token = shown.strip_prefix("<MASK_");
    token
        .and_then(|token| token.strip_suffix('>'))
        .is_some_and(|core| !core.contains(['<', '>']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_values_are_distinguished_from_right_ones_and_tokens() {
        let own = line(1, 7);
        let key = values(1, 7).key;
        let hidden = own.replace(&key, "<MASK_API_KEY_4>");
        let checked = check(&format!("{own}\n{hidden}\n"), 1).unwrap();
        assert_eq!((checked.restored, checked.left), (9, 1));
        assert!(check(&own.replace(&key, &values(1, 8).key), 1).is_err());
        assert!(check(&own.replace(&key, ""), 1).is_err());
        assert!(check(&hidden, 2).is_err(), "another's values");
    }
}
