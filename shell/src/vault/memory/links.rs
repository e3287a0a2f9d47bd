//! Links in memory; the oldest are dropped first.

use std::collections::{BTreeMap, HashMap};

use super::super::{Claim, HISTORY_TIME, Link, LinkName, milliseconds};

/// How many are kept, at most.
const MAX_LINKS: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Links {
    by_name: HashMap<LinkName, Kept>,
    by_age: BTreeMap<u64, LinkName>,
    puts: u64,
}

#[derive(Debug)]
struct Kept {
    link: Link,
    at: i64,
    put: u64,
}

impl Links {
    pub(super) fn put(&mut self, names: Vec<LinkName>, link: &Link, claim: Claim, now: i64) {
        for name in names {
            let is_shared =
                claim == Claim::Shared && self.get(&name, now).is_some_and(|other| other != *link);
            self.puts += 1;
            let kept = Kept {
                link: if is_shared {
                    Link::nowhere()
                } else {
                    link.clone()
                },
                at: now,
                put: self.puts,
            };
            self.by_age.insert(self.puts, name.clone());
            if let Some(replaced) = self.by_name.insert(name, kept) {
                self.by_age.remove(&replaced.put);
            }
        }
        while self.by_name.len() > MAX_LINKS {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                return;
            };
            self.by_name.remove(&oldest);
        }
    }

    pub(super) fn remove(&mut self, names: &[LinkName]) {
        for name in names {
            if let Some(removed) = self.by_name.remove(name) {
                self.by_age.remove(&removed.put);
            }
        }
    }

    pub(super) fn get(&self, name: &LinkName, now: i64) -> Option<Link> {
        let since = now.saturating_sub(milliseconds(HISTORY_TIME));
        let kept = self.by_name.get(name).filter(|kept| kept.at >= since)?;
        Some(kept.link.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vault::Key;

    fn link(id: &str) -> Link {
        Link {
            session: Key {
                owner: "a".to_owned(),
                id: id.to_owned(),
            },
            created: 1,
        }
    }

    #[test]
    fn the_oldest_links_are_evicted_first() {
        let mut links = Links::default();
        links.put(
            vec!["first".to_owned(), "again".to_owned()],
            &link("s"),
            Claim::Taken,
            0,
        );
        links.put(vec!["again".to_owned()], &link("t"), Claim::Taken, 0);
        let others = (0..MAX_LINKS - 1).map(|number| number.to_string());
        links.put(others.collect(), &link("u"), Claim::Taken, 0);
        assert!(links.get(&"first".to_owned(), 0).is_none());
        assert_eq!(links.get(&"again".to_owned(), 0), Some(link("t")));
        assert_eq!(
            (links.by_name.len(), links.by_age.len()),
            (MAX_LINKS, MAX_LINKS)
        );
    }

    #[test]
    fn a_link_expires_after_the_provider_retention_time() {
        let mut links = Links::default();
        links.put(vec!["name".to_owned()], &link("s"), Claim::Taken, 0);
        let end = milliseconds(HISTORY_TIME);
        assert!(links.get(&"name".to_owned(), end).is_some());
        assert!(links.get(&"name".to_owned(), end + 1).is_none());
    }
}
