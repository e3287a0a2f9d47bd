//! How far manifests were read.

/// How far manifests were read: each once, whatever says again that it is one.
#[derive(Debug, Default)]
pub(in crate::detect) struct Manifests {
    pub(in crate::detect) in_object: usize,
    /// By how far their fields are indented.
    pub(in crate::detect) in_lines: Vec<usize>,
}

impl Manifests {
    pub(in crate::detect) fn read(&mut self, indent: usize, until: usize) {
        let depths = self.in_lines.len().max(indent + 1);
        self.in_lines.resize(depths, 0);
        if let Some(known) = self.in_lines.get_mut(indent) {
            *known = until;
        }
    }
}
