//! The strings of a request that may contain values, stored compactly: a body may contain one for
//! every four bytes.

use std::borrow::Cow;

use super::{Form, Place};
use crate::json::Value;

/// A string of a request that may hold values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestLeaf<'t> {
    pub(crate) value: Value<'t>,
    /// Its name: its member name, the flag before it, or the `name` next to a `value`.
    pub(crate) name: Option<Value<'t>>,
    pub(crate) form: Form,
}

/// The leaves of a request, in prompt order.
#[derive(Debug, Default)]
pub(crate) struct RequestLeaves<'t> {
    /// Any value of the document.
    root: Option<Value<'t>>,
    by_place: [List; Place::COUNT],
}

/// Leaves in document order.
#[derive(Debug, Default)]
struct List {
    /// Their places in the tape.
    nodes: Vec<u32>,
    notes: Vec<Note>,
    /// The names that are [`Naming::Listed`], by the number of their leaf.
    names: Vec<(u32, u32)>,
    /// The place of the last leaf's name in the tape.
    last_name: Option<u32>,
}

/// The properties of a leaf besides its place.
#[derive(Debug, Clone, Copy)]
struct Note {
    form: Form,
    naming: Naming,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    Nameless,
    /// By its member name, directly before it.
    Before,
    /// By what names the leaf before it.
    Same,
    Listed,
}

impl<'t> RequestLeaves<'t> {
    pub(super) fn push(
        &mut self,
        place: Place,
        value: Value<'t>,
        name: Option<Value<'t>>,
        form: Form,
    ) {
        self.root.get_or_insert(value);
        if let Some(list) = self.by_place.get_mut(place as usize) {
            list.push(value.node(), name.map(Value::node), form);
        }
    }

    /// All of them, in prompt order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = RequestLeaf<'t>> {
        let lists = self.by_place.iter();
        let lists = lists.filter(|list| !list.nodes.is_empty());
        lists.flat_map(|list| self.leaves_of(list))
    }

    /// The same, each with its place in the prompt.
    #[cfg(test)]
    pub(super) fn with_places(&self) -> impl Iterator<Item = (RequestLeaf<'t>, Place)> {
        let lists = self.by_place.iter().zip(Place::ALL);
        lists.flat_map(|(list, place)| self.leaves_of(list).map(move |leaf| (leaf, place)))
    }

    fn leaves_of(&self, list: &List) -> impl Iterator<Item = RequestLeaf<'t>> {
        let root = self.root;
        list.iter().filter_map(move |(node, name, form)| {
            let root = root?;
            Some(RequestLeaf {
                value: root.at_node(node),
                name: name.map(|name| root.at_node(name)),
                form,
            })
        })
    }

    /// Drops the member names that a tool's schema declares (sorted): they are nobody's data, and
    /// the tool needs them unchanged.
    pub(super) fn drop_keys(&mut self, declared: &[Cow<'_, str>]) {
        let Some(root) = self.root else { return };
        for list in &mut self.by_place {
            list.drop_if(|node, form| {
                form == Form::Key && declared.binary_search(&root.at_node(node).text()).is_ok()
            });
        }
    }

    /// Drops those that begin at these places of the document, which are sorted.
    pub(crate) fn drop_at(&mut self, starts: &[usize]) {
        let Some(root) = self.root.filter(|_| !starts.is_empty()) else {
            return;
        };
        for list in &mut self.by_place {
            list.drop_if(|node, _| starts.binary_search(&root.at_node(node).start()).is_ok());
        }
    }

    /// Takes out the texts of some values of the document, which are in its order and apart from each other.
    pub(crate) fn take_within(&mut self, values: &[Value<'_>]) -> Vec<Value<'t>> {
        let is_within = |leaf: &Value<'t>| {
            let at = values.partition_point(|value| value.end() <= leaf.start());
            let value = values.get(at);
            leaf.is_string() && value.is_some_and(|value| value.start() <= leaf.start())
        };
        let mut taken: Vec<_> = self
            .iter()
            .map(|leaf| leaf.value)
            .filter(is_within)
            .collect();
        taken.sort_by_key(|leaf| leaf.start());
        let starts: Vec<_> = taken.iter().map(|leaf| leaf.start()).collect();
        self.drop_at(&starts);
        taken
    }
}

impl List {
    fn push(&mut self, node: u32, name: Option<u32>, form: Form) {
        let naming = match name {
            None => Naming::Nameless,
            Some(name) if name.checked_add(Value::KEY_WORDS) == Some(node) => Naming::Before,
            Some(_) if name == self.last_name => Naming::Same,
            Some(name) => {
                // No body has room for more leaves.
                let number = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
                self.names.push((number, name));
                Naming::Listed
            }
        };
        self.last_name = name;
        self.nodes.push(node);
        self.notes.push(Note { form, naming });
    }

    /// Each leaf, its name, and its form.
    fn iter(&self) -> impl Iterator<Item = (u32, Option<u32>, Form)> {
        let mut names = self.names.iter().peekable();
        let mut last = None;
        let leaves = (0_u32..).zip(self.nodes.iter().zip(&self.notes));
        leaves.map(move |(number, (&node, note))| {
            let listed = names
                .next_if(|(of, _)| *of == number)
                .map(|(_, name)| *name);
            last = match note.naming {
                Naming::Nameless => None,
                Naming::Before => node.checked_sub(Value::KEY_WORDS),
                Naming::Same => last,
                Naming::Listed => listed,
            };
            (node, last, note.form)
        })
    }

    fn drop_if(&mut self, is_dropped: impl Fn(u32, Form) -> bool) {
        let mut kept = Self::default();
        if !self.iter().any(|(node, _, form)| is_dropped(node, form)) {
            return;
        }
        for (node, name, form) in self
            .iter()
            .filter(|(node, _, form)| !is_dropped(*node, *form))
        {
            kept.push(node, name, form);
        }
        *self = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::super::request;
    use super::*;
    use crate::Schema;
    use crate::json::Tape;

    fn bytes(leaves: &RequestLeaves<'_>) -> usize {
        let lists = leaves.by_place.iter().map(|list| {
            size_of_val(&*list.nodes) + size_of_val(&*list.notes) + size_of_val(&*list.names)
        });
        lists.sum()
    }

    /// 14 million strings of one letter once took a gigabyte.
    #[test]
    fn leaves_of_small_strings_take_little_memory() {
        for value in [
            "\"x\",",
            "\"-a\",\"b\",",
            "{\"a\":\"b\"},",
            "{\"a\":[\"b\"]},",
            "{\"name\":\"a\",\"value\":\"b\"},",
        ] {
            for schema in [Schema::ChatStyle, Schema::Generic] {
                let body = format!("{{\"metadata\":[{}0]}}", value.repeat(10_000));
                let tape = Tape::scan(&body, 8).unwrap();
                let leaves = request(schema, tape.root(&body)).leaves;
                assert!(leaves.iter().count() >= 10_000, "{value}");
                let bytes = bytes(&leaves);
                assert!(bytes <= 3 * body.len(), "{value} {bytes} of {}", body.len());
            }
        }
    }

    #[test]
    fn every_leaf_keeps_its_name() {
        let body = r#"{"metadata": {"a": "1", "b": ["2", "3", "--flag", "4"], "name": "n", "value": "5", "c": {"d": "6"}}}"#;
        let tape = Tape::scan(body, 8).unwrap();
        let leaves = request(Schema::ChatStyle, tape.root(body)).leaves;
        let values = leaves.iter().filter(|leaf| leaf.form != Form::Key);
        let found: Vec<_> = values
            .map(|leaf| {
                let name = leaf.name.map(|name| name.text().into_owned());
                (leaf.value.text().into_owned(), name.unwrap_or_default())
            })
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(text, name)| (&**text, &**name))
            .collect();
        let expected = [
            ("1", "a"),
            ("2", "b"),
            ("3", "b"),
            ("--flag", "b"),
            ("4", "--flag"),
            ("n", "name"),
            ("5", "n"),
            ("6", "d"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn dropping_leaves_keeps_the_names_of_the_others() {
        let body = r#"{"metadata": {"a": "1", "b": ["2", "3"]}}"#;
        let tape = Tape::scan(body, 8).unwrap();
        let mut leaves = request(Schema::ChatStyle, tape.root(body)).leaves;
        leaves.drop_keys(&["a".into(), "b".into()]);
        leaves.drop_at(&[body.find("\"2\"").unwrap()]);
        let found = leaves.iter().map(|leaf| {
            let name = leaf.name.map(|name| name.text().into_owned());
            (leaf.value.text().into_owned(), name.unwrap_or_default())
        });
        let found: Vec<_> = found.collect();
        let expected =
            [("1", "a"), ("3", "b")].map(|(text, name)| (text.to_owned(), name.to_owned()));
        assert_eq!(found, expected);
    }
}
