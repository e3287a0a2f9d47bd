//! Finds sensitive values in text.
//!
//! One pass over the bytes finds the places where something may begin ([`scan`]); each opens a bounded
//! window, in which a small validator decides.

mod anchors;
mod assigned;
mod authorization;
mod bytes;
mod command_line;
mod detection;
mod email;
mod ipv6;
mod jwt;
mod merge;
mod number;
mod pass;
mod pem;
mod placeholder;
mod scan;
mod url;
mod vendor;

pub use detection::{Detection, Score};
pub use merge::merge;

use anchors::{Anchor, Anchors};
use pass::Pass;
use scan::Place;

/// The detectors of one configuration, compiled once and shared by every exchange.
#[derive(Debug)]
pub struct Detectors {
    anchors: Anchors,
}

impl Default for Detectors {
    fn default() -> Self {
        Self::built_in()
    }
}

impl Detectors {
    /// The built-in detectors with their defaults.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            anchors: Anchors::new(),
        }
    }

    /// Appends every detection in `text`, unmerged and in no order.
    ///
    /// `name` is what the text is assigned to: the JSON key, environment name or command-line flag
    /// beside it.
    pub fn detect(&self, text: &str, name: Option<&str>, found: &mut Vec<Detection>) {
        let mut pass = Pass::new(text, found);
        scan::scan(text.as_bytes(), &self.anchors, |place, at| {
            self.look(&mut pass, place, at);
        });
        if let Some(name) = name {
            assigned::look_whole(&mut pass, name, text);
        }
    }

    fn look(&self, pass: &mut Pass<'_, '_>, place: Place, at: usize) {
        match place {
            Place::Gram(gram) => {
                self.anchors.verify(pass.text, at, gram, |anchor, start| {
                    look_at(pass, anchor, start)
                });
            }
            Place::At => email::look(pass, at, 1),
            Place::Digits => number::look(pass, at),
            Place::Colons => ipv6::look(pass, at),
        }
    }
}

fn look_at(pass: &mut Pass<'_, '_>, anchor: Anchor, start: usize) {
    match anchor {
        Anchor::Url => url::look(pass, start),
        Anchor::Pem => pem::look(pass, start),
        Anchor::Jwt => jwt::look(pass, start),
        Anchor::Scheme => authorization::look(pass, start),
        Anchor::Command(command) => command_line::look(pass, command, start),
        Anchor::Port => command_line::look_at_port(pass, start),
        Anchor::Name(stem) => assigned::look(pass, stem, start),
        Anchor::Vendor { rule, anchor } => vendor::try_rule(pass, rule, anchor, start),
    }
}
