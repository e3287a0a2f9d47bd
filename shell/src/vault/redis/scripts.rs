//! The Redis scripts that change a session in one step.

use std::sync::LazyLock;

use redis::Script;

/// Arguments: the version that the session must have, empty for none; its next version; the time;
/// the time to live in milliseconds, 0 for ever; how many mappings it has then; when it was
/// created, whether its numbers are derived, whether it is of history; the field and the text of
/// each new mapping, and of the origin of its value.
pub(super) static STORE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if (redis.call('HGET', KEYS[1], 'v') or '') ~= ARGV[1] then return 0 end
         if ARGV[1] == '' then 
           redis.call('HSET', KEYS[1], 'c', ARGV[6], 'd', ARGV[7], 'h', ARGV[8])
         end
         redis.call('HSET', KEYS[1], 'v', ARGV[2], 'a', ARGV[3], 'n', ARGV[5])
         for i = 9, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
         if ARGV[4] == '0' then redis.call('PERSIST', KEYS[1])
         else redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
         return 1",
    )
});

/// Arguments: the time; the time to live in milliseconds, 0 for ever.
pub(super) static TOUCH: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('HEXISTS', KEYS[1], 'v') == 0 then return 0 end
         redis.call('HSET', KEYS[1], 'a', ARGV[1])
         if ARGV[2] == '0' then redis.call('PERSIST', KEYS[1])
         else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
         return 1",
    )
});

/// Arguments: where to continue, which keys, how many to read. Returns where to continue next, and
/// a line for each session: when it was created and last used, how many mappings it has, whether it
/// is of history, its key. It declares no key, so that any node of a cluster runs it for its own
/// sessions.
pub(super) const LIST: &str =
    "local found = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
     local lines = {}
     for _, name in ipairs(found[2]) do
       local session = redis.pcall('HMGET', name, 'c', 'a', 'n', 'h')
       if session[1] and session[2] and session[3] then
         session[4] = session[4] or '0'
         lines[#lines + 1] = table.concat(session, ' ') .. ' ' .. name
       end
     end
     return {found[1], table.concat(lines, '\\n')}";

/// Argument: what the key is to hold if it holds nothing. Returns what it holds.
pub(super) static KEEP: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "redis.call('SETNX', KEYS[1], ARGV[1])
         return redis.call('GET', KEYS[1])",
    )
});

/// Argument: a time.
pub(super) static DELETE_IDLE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local active = redis.call('HGET', KEYS[1], 'a')
         if not active or tonumber(active) >= tonumber(ARGV[1]) then return 0 end
         return redis.call('DEL', KEYS[1])",
    )
});
