//! Counts which texts of a request were read and which were left.

/// How many strings of a body were read, and how many were left by which rule. Member names are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Texts that detectors saw.
    pub texts: u64,
    /// Images in base64.
    pub images: u64,
    /// Other binary files in base64: audio, PDF.
    pub files: u64,
    /// What the provider encrypted.
    pub encrypted: u64,
    /// The format's own: ids, types, roles, models, settings, signatures.
    pub structural: u64,
}

impl Coverage {
    /// What was left and why, by name.
    pub fn left(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let left = [
            ("images", self.images),
            ("files", self.files),
            ("encrypted", self.encrypted),
            ("structural", self.structural),
        ];
        left.into_iter().filter(|(_, count)| *count > 0)
    }

    /// Parts that may contain something that could not be read.
    pub(crate) const fn unread(&self) -> u64 {
        self.images + self.files + self.encrypted
    }

    /// Counts what can't be read.
    pub(crate) fn leave(&mut self, what: Unread) {
        match what {
            Unread::Image => self.images += 1,
            Unread::File => self.files += 1,
            Unread::Encrypted => self.encrypted += 1,
        }
    }
}

/// What can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    Image,
    File,
    Encrypted,
}

impl Unread {
    /// The kind of binary content in base64, by the head of a `data:` URL, or by how PNG, JPEG and
    /// GIF begin.
    pub(crate) fn of_base64(text: &str) -> Self {
        const URL: &str = "data:image/";
        const BEGINNINGS: [&str; 3] = ["iVBOR", "/9j/", "R0lGOD"];
        let head = text.get(..URL.len());
        let is_url = head.is_some_and(|head| head.eq_ignore_ascii_case(URL));
        if is_url || BEGINNINGS.iter().any(|begin| text.starts_with(begin)) {
            Self::Image
        } else {
            Self::File
        }
    }
}
