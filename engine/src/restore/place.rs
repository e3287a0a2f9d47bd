//! Places on the network, as tools get them in their arguments.

use std::net::Ipv6Addr;

/// Whether a text at the place of these names is a place on the network: it begins as a URL does, or is a host with a
/// path, a port, a user or a part that is not written out.
pub(super) fn is_place(names: &str, text: &str) -> bool {
    let text = as_read(text);
    begins_as_url(&text) || !is_of_files(names) && is_host_with_more(&text)
}

/// A text as parsers of URLs read it, without line ends and what stands around it.
fn as_read(text: &str) -> String {
    let around = |c: char| c.is_whitespace() || "\"'`<>()".contains(c);
    text.trim_matches(around).replace(['\t', '\n', '\r'], "")
}

fn begins_as_url(text: &str) -> bool {
    /// They need no slash behind them.
    const WEB: [&str; 7] = ["http", "https", "ws", "wss", "ftp", "ftps", "mailto"];
    if text.starts_with("//") || text.starts_with("\\\\") {
        return has_host(text);
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_scheme = scheme.len() > 1 && scheme.chars().all(is_of_scheme);
    let is_local = scheme.eq_ignore_ascii_case("file") && rest.starts_with("///");
    let is_web = WEB.iter().any(|web| scheme.eq_ignore_ascii_case(web));
    is_scheme && !is_local && (is_web || rest.starts_with(['/', '\\'])) && has_host(rest)
}

/// Whether what stands behind a scheme goes on with a host. In a comment it does not, or if it ends in a line and text follows.
fn has_host(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['/', '\\']);
    let host = rest.split(['/', '?', '#', '\\']).next();
    host.is_some_and(|host| !host.contains(' '))
}

/// Whether arguments of this name are paths of files, which look like hosts with a path.
fn is_of_files(names: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 11] = [
        "path", "paths", "filepath", "file", "files", "filename", "filenames", "dir", "dirs", "directory", "folder",
    ];
    let (before, last) = last_word(names);
    let is_one = |word: &str| WORDS.iter().any(|it| word.eq_ignore_ascii_case(it));
    is_one(last) || last.eq_ignore_ascii_case("name") && is_one(last_word(before).1)
}

/// The word that names end in, and what stands before it: `Path` in `input.filePath`.
fn last_word(names: &str) -> (&str, &str) {
    let names = names.trim_end_matches(|c: char| !c.is_alphanumeric());
    let bytes = names.as_bytes();
    let begins = |at: &usize| {
        let [one, next] = [at.wrapping_sub(1), *at].map(|at| bytes.get(at));
        let is_word = one.is_some_and(|one| one.is_ascii_alphanumeric() || !one.is_ascii());
        let is_lower = one.is_some_and(u8::is_ascii_lowercase);
        !is_word || is_lower && next.is_some_and(u8::is_ascii_uppercase)
    };
    let start = (0..names.len()).rev().find(begins).unwrap_or_default();
    names.split_at_checked(start).unwrap_or(("", names))
}

/// `evil.example/x`, `evil.example:443`, `x@evil.example`, `<MASK_SECRET_1>.evil.example`.
fn is_host_with_more(text: &str) -> bool {
    if text.contains(' ') {
        return false;
    }
    let end = text.find(['/', '?', '#', '\\']).unwrap_or(text.len());
    let authority = text.get(..end).unwrap_or_default();
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    if is_address_in_brackets(host) {
        return true;
    }
    let (host, port) = host.split_once(':').unwrap_or((host, ""));
    let has_more = end < text.len() || !user.is_empty() || !port.is_empty();
    is_host(host.strip_suffix('.').unwrap_or(host), has_more)
}

/// `[2001:db8::7]:443`
fn is_address_in_brackets(host: &str) -> bool {
    let within = host.strip_prefix('[').and_then(|host| host.split_once(']'));
    within.is_some_and(|(address, _)| address.parse::<Ipv6Addr>().is_ok())
}

/// Whether a text is a host of plain labels or an address. Labels that are not plain may come before two that are.
fn is_host(host: &str, is_plain_enough: bool) -> bool {
    let is_plain = |label: &&str| {
        let is_of_label = |c: char| c.is_alphanumeric() || c == '-';
        !label.is_empty() && label.chars().all(is_of_label)
    };
    let labels: Vec<_> = host.split('.').collect();
    let plain = labels.iter().rev().take_while(|label| is_plain(label));
    let plain = plain.count();
    let last = labels.last().copied().unwrap_or_default();
    let is_named = last.len() > 1 && last.chars().all(char::is_alphabetic);
    let is_address = labels.len() == 4 && labels.iter().all(|label| label.parse::<u8>().is_ok());
    let is_whole = plain == labels.len();
    if is_whole {
        is_plain_enough && (plain > 1 && is_named || is_address)
    } else {
        plain > 1 && is_named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_addresses_are_recognized_in_any_argument() {
        for text in [
            "https://evil.example/?v=<MASK_SECRET_1>",
            " \"HTTPS://evil.example/<MASK_SECRET_1>\"",
            "https:evil.example?<MASK_SECRET_1>",
            "ht\ntps://evil.example/<MASK_SECRET_1>",
            "//evil.example/<MASK_SECRET_1>",
            "\\\\evil.example\\<MASK_SECRET_1>",
            "postgres://a:<MASK_SECRET_1>@db.example/x",
            "https://evil.example/ <MASK_SECRET_1>",
            "evil.example/<MASK_SECRET_1>",
            "evil.example:443/<MASK_SECRET_1>",
            "evil.example./<MASK_SECRET_1>",
            "bücher.example/<MASK_SECRET_1>",
            "böse.рф/<MASK_SECRET_1>",
            "203.0.113.7/<MASK_SECRET_1>",
            "[2001:db8::7]:443/<MASK_SECRET_1>",
            "git@evil.example:<MASK_SECRET_1>/x.git",
            "<MASK_SECRET_1>@evil.example",
            "<MASK_SECRET_1>.evil.example",
            "x-<MASK_SECRET_1>.evil.example",
            "https://evil.example/\nand more: <MASK_SECRET_1>",
        ] {
            assert!(is_place("q", text), "{text}");
        }
        for text in [
            "",
            "<MASK_SECRET_1>",
            "<MASK_PERSON_1>.txt",
            "src/<MASK_SECRET_1>",
            "/var/www/evil.example/<MASK_SECRET_1>",
            "C:\\x\\<MASK_SECRET_1>",
            "file:///home/<MASK_PERSON_1>",
            "see https://evil.example/?v=<MASK_SECRET_1>",
            "https://evil.example\nand more: <MASK_SECRET_1>",
            "password: <MASK_SECRET_1>",
            "a.b = <MASK_SECRET_1>",
            "1.5/<MASK_SECRET_1>",
            "[2, 3]/<MASK_SECRET_1>",
            "std::env::<MASK_SECRET_1>",
            "// the key\nlet key = \"<MASK_SECRET_1>\";",
            "TODO:\n// <MASK_SECRET_1>",
        ] {
            assert!(!is_place("q", text), "{text}");
        }
    }

    /// An argument named `profile` was taken for a file's.
    #[test]
    fn file_arguments_are_recognized_by_words_in_their_names() {
        for name in [
            "path",
            "file_path",
            "input.filePath",
            "FILES",
            "out-dir",
            "fileName",
        ] {
            assert!(is_of_files(name), "{name}");
        }
        for name in ["profile", "q", "file_url", "mypath", "fileUrl", "", "."] {
            assert!(is_place(name, "evil.example/<MASK_SECRET_1>"), "{name}");
        }
        assert!(!is_place("file_path", "docs.old/<MASK_PERSON_1>"));
    }
}
