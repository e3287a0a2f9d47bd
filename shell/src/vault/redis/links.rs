//! Links in Redis: of each owner a hash from names to sessions, and a sorted set of the names by age.
//!
//! In a cluster both are on one node, because the set's name contains the hash's name in braces.

use std::sync::LazyLock;

use redis::{Cmd, Script};

use super::super::{Claim, HISTORY_TIME, Key, Link, LinkName, VaultError, milliseconds};
use super::Redis;
use crate::base::clock::now;

const LINKS: &str = "mask:links:";

/// How many links an owner has, at most.
const MAX_LINKS: usize = 100_000;

/// The sorted set had another name once. If only the hash exists, the set is created from it.
///
/// Keys: the hash, the sorted set. Arguments: the time; how long links are kept, in milliseconds;
/// how many; what the ids are linked to; what those that already lead to another session are linked
/// to, empty if that does not matter; the ids.
static LINK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('EXISTS', KEYS[2]) == 0 then
           local links = redis.call('HGETALL', KEYS[1])
           for i = 1, #links, 2 do
             redis.call('ZADD', KEYS[2], string.match(links[i + 1], '^%d+') or 0, links[i])
           end
         end
         for i = 6, #ARGV do
           local link, other = ARGV[4], ARGV[5] ~= '' and redis.call('HGET', KEYS[1], ARGV[i])
           if other and string.match(other, ' .*') ~= string.match(link, ' .*') then
             link = ARGV[5]
           end
           redis.call('HSET', KEYS[1], ARGV[i], link)
           redis.call('ZADD', KEYS[2], ARGV[1], ARGV[i])
         end
         local function drop(names)
           for _, name in ipairs(names) do
             redis.call('HDEL', KEYS[1], name)
             redis.call('ZREM', KEYS[2], name)
           end
         end
         drop(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. (ARGV[1] - ARGV[2])))
         local excess = redis.call('ZCARD', KEYS[2]) - ARGV[3]
         if excess > 0 then drop(redis.call('ZRANGE', KEYS[2], 0, excess - 1)) end
         redis.call('PEXPIRE', KEYS[1], ARGV[2])
         redis.call('PEXPIRE', KEYS[2], ARGV[2])
         return 1",
    )
});

/// Keys: the hash, the sorted set. Arguments: the ids.
static UNLINK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "for _, name in ipairs(ARGV) do
           redis.call('HDEL', KEYS[1], name)
           redis.call('ZREM', KEYS[2], name)
         end
         return 1",
    )
});

impl Redis {
    pub(in crate::vault) async fn link(
        &self,
        owner: &str,
        names: Vec<LinkName>,
        link: Link,
        claim: Claim,
    ) -> Result<(), VaultError> {
        let now = now();
        let mut change = LINK.key(hash_of(owner));
        change
            .key(ages_of(owner))
            .arg(now)
            .arg(milliseconds(HISTORY_TIME))
            .arg(MAX_LINKS)
            .arg(written(&link, now))
            .arg(match claim {
                Claim::Taken => String::new(),
                Claim::Shared => written(&Link::nowhere(), now),
            });
        for name in names {
            change.arg(name);
        }
        self.change(change).await.map(drop)
    }

    pub(in crate::vault) async fn follow(
        &self,
        owner: &str,
        names: Vec<LinkName>,
    ) -> Result<Vec<Option<Link>>, VaultError> {
        let mut read = Cmd::new();
        read.arg("HMGET").arg(hash_of(owner));
        for name in names {
            read.arg(name);
        }
        let found: Vec<Option<String>> = self.command(read).await?;
        let since = now().saturating_sub(milliseconds(HISTORY_TIME));
        let links = found.into_iter().map(|link| read_link(&link?, since));
        Ok(links.collect())
    }

    pub(in crate::vault) async fn unlink(
        &self,
        owner: &str,
        names: Vec<LinkName>,
    ) -> Result<(), VaultError> {
        let mut change = UNLINK.key(hash_of(owner));
        change.key(ages_of(owner)).arg(names);
        self.change(change).await.map(drop)
    }
}

fn hash_of(owner: &str) -> String {
    format!("{LINKS}{owner}")
}

fn ages_of(owner: &str) -> String {
    format!("{{{LINKS}{owner}}}:age")
}

/// When it was linked, when the session was made, its owner and id.
fn written(link: &Link, now: i64) -> String {
    let Key { owner, id } = &link.session;
    format!("{now} {} {owner} {id}", link.created)
}

/// A link as it is written; none when it is too old, or of another form.
fn read_link(text: &str, since: i64) -> Option<Link> {
    let mut parts = text.splitn(4, ' ');
    let at: i64 = parts.next()?.parse().ok()?;
    let created = parts.next()?.parse().ok()?;
    let (owner, id) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let session = Key { owner, id };
    (at >= since).then_some(Link { session, created })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_round_trips_until_it_expires() {
        let link = Link {
            session: Key {
                owner: "0a".to_owned(),
                id: "team-7:a.b_C".to_owned(),
            },
            created: 7,
        };
        let text = written(&link, 100);
        assert_eq!(read_link(&text, 100), Some(link));
        assert_eq!(read_link(&text, 101), None);
        assert_eq!(read_link("100 7 0a", 0), None);
    }
}
