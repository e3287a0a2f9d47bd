//! What needs Unix is in one folder, so that another system is a port of that folder alone.

use std::fs;
use std::path::{Path, PathBuf};

/// What only Unix has, as code names it.
const OF_UNIX: [&str; 8] = [
    "os::unix",
    "os::linux",
    "os::fd",
    "signal::unix",
    "rustix",
    "libc::",
    "nix::",
    "net::unix",
];

/// Paths that only Unix has; tests that read them skip where they are missing.
const PLACES: [&str; 2] = ["\"/proc/", "\"/dev/"];

#[test]
fn only_the_system_folder_uses_unix_interfaces() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shell/src");
    let found: Vec<_> = files(&sources)
        .into_iter()
        .filter(|path| !path.starts_with(sources.join("system")))
        .filter_map(|path| {
            let text = fs::read_to_string(&path).expect("a source");
            let without_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
            let named = OF_UNIX.iter().find(|name| text.contains(*name));
            let named = named.or_else(|| PLACES.iter().find(|at| without_tests.contains(*at)));
            named.map(|name| format!("{}: {name}", path.display()))
        })
        .collect();
    assert!(found.is_empty(), "move it to shell/src/system: {found:#?}");
}

/// `just windows` compiles the port, but only a release and contributors run it.
#[test]
fn the_windows_port_has_every_system_function() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shell/src/system");
    let ports = files(&folder.join("windows"));
    assert!(ports.len() > 4, "the port is there");
    for port in ports {
        let name = port.file_name().expect("a file has a name");
        assert_eq!(
            functions(&folder.join(name)),
            functions(&port),
            "{}",
            name.display()
        );
    }
}

/// The signatures that other modules use.
fn functions(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a source");
    let without_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = without_tests.lines().map(str::trim);
    lines
        .filter(|line| line.starts_with("pub(crate)") && line.contains("fn "))
        .map(|line| line.trim_end_matches([' ', '{', '}']).to_owned())
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}
