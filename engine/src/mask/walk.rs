//! Walks one text, and JSON inside it, down to plain texts.

use std::borrow::Cow;

use super::memo::Memo;
use crate::json::{Context, Edit, Kind, MAX_HELD_JSON, Nesting, Value, edits_in_string};
use crate::schema::encoded::{self, Content, Embedded, EncodedText};
use crate::schema::{Form, RequestLeaf};

/// What is done with the texts of a request.
pub(crate) trait Texts {
    /// The next texts belong to the part of the prompt with this number: to the leaf at this offset of the body, or they
    /// are outside the body.
    fn enter(&mut self, _part: u32, _leaf: Option<usize>) {}

    /// Whether the texts of the leaf that was entered need not be read. Adds the edits of the leaf.
    fn pass(&mut self, _leaf: RequestLeaf<'_>, _edits: &mut Vec<Edit>) -> bool {
        false
    }

    /// All texts of the leaf that was entered were handled, which gave these edits.
    fn leave(&mut self, _leaf: RequestLeaf<'_>, _edits: &[Edit]) {}

    /// A name was passed over because a tool declares it.
    fn pass_declared(&mut self, _name: &str) {}

    /// Handles the next plain text, in prompt order: returns the edits that mask it, in order.
    /// `name` is what the text is assigned to. `nesting` reads the text from its beginning.
    fn plain(&mut self, text: &str, name: Option<&str>, nesting: Nesting) -> Vec<Edit>;

    /// Handles a text that is left but for known values, in prompt order: returns the edits that mask them, in order.
    fn left(&mut self, _text: &str) -> Vec<Edit> {
        Vec::new()
    }

    /// In a string of JSON in a text, and perhaps at its beginning, a token stands for what was written so.
    fn spelled(&mut self, _token: &str, _written: &str, _begins: bool) {}

    /// Whether the text that was handled last may hold files.
    fn may_hold_files(&self) -> bool {
        true
    }

    /// The edits of a file that the edits of its text come to, in order.
    fn encoded(&self, file: &EncodedText, edits: &[Edit]) -> Vec<Edit> {
        file.rewritten(edits).into_iter().collect()
    }
}

/// The number of a text, in prompt order: the same in each walk, whichever texts it passes over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextNumber {
    part: u32,
    text: u32,
}

impl TextNumber {
    /// The first text of a part of the prompt.
    pub(super) const fn first_of(part: u32) -> Self {
        Self { part, text: 0 }
    }

    /// This number, which becomes that of the next text.
    pub(super) const fn take(&mut self) -> Self {
        let own = *self;
        self.text += 1;
        own
    }

    /// The part of the prompt that it belongs to.
    pub(super) const fn part(self) -> u32 {
        self.part
    }
}

/// Walks the texts of one request, one after the other, in prompt order.
pub(super) struct TextWalk<'a> {
    texts: &'a mut dyn Texts,
    /// The property names that tools declare, sorted.
    declared: &'a [Cow<'a, str>],
    walked: &'a mut Walked,
}

/// What one walk tells the next.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) memo: Memo,
    files: Files,
}

impl Walked {
    /// Of a walk that no other follows.
    pub(super) fn once() -> Self {
        Self {
            memo: Memo::without_room(),
            ..Self::default()
        }
    }
}

/// Which texts hold files, so that another walk does not search the others.
#[derive(Default)]
struct Files {
    is_known: bool,
    next: TextNumber,
    holding: Vec<TextNumber>,
}

impl Files {
    /// The files in the next text.
    fn of(&mut self, text: &str, may_be: bool) -> Vec<Embedded> {
        let number = self.next.take();
        if !may_be || self.is_known && self.holding.binary_search(&number).is_err() {
            return Vec::new();
        }
        let found = encoded::embedded(text);
        if !self.is_known && !found.is_empty() {
            self.holding.push(number);
        }
        found
    }
}

impl<'a> TextWalk<'a> {
    pub(super) fn new(
        texts: &'a mut dyn Texts,
        declared: &'a [Cow<'a, str>],
        walked: &'a mut Walked,
    ) -> Self {
        Self {
            texts,
            declared,
            walked,
        }
    }

    /// The next text belongs to the part of the prompt with this number: to the leaf at this offset of the body, or it is
    /// outside the body.
    pub(super) fn enter(&mut self, part: u32, leaf: Option<usize>) {
        self.walked.memo.enter(part);
        self.walked.files.next = TextNumber::first_of(part);
        self.texts.enter(part, leaf);
    }

    /// Whether the texts of the leaf that was entered need not be read.
    pub(super) fn pass(&mut self, leaf: RequestLeaf<'_>, edits: &mut Vec<Edit>) -> bool {
        self.texts.pass(leaf, edits)
    }

    /// The edits that mask the leaf that was entered.
    pub(super) fn leaf(&mut self, leaf: RequestLeaf<'_>, edits: &mut Vec<Edit>) {
        let (name, first) = (leaf.name.map(Value::text), edits.len());
        self.string(leaf.value, edits, |walk, text| {
            walk.walk(text, name.as_deref(), leaf.form)
        });
        let own = edits.get(first..).unwrap_or_default();
        self.texts.leave(leaf, own);
    }

    /// All texts were walked.
    pub(super) fn finish(self) {
        self.walked.memo.rewind();
        self.walked.files.is_known = true;
    }

    fn is_declared(&self, name: &str) -> bool {
        let found = self.declared.binary_search_by(|known| (**known).cmp(name));
        found.is_ok()
    }

    /// The edits that mask a text, in order. `name` is what the text is assigned to.
    pub(super) fn walk(&mut self, text: &str, name: Option<&str>, form: Form) -> Vec<Edit> {
        if form == Form::Left {
            return self.texts.left(text);
        }
        if form == Form::Base64
            && let Content::Text(file) = encoded::read(text)
        {
            let edits = self.level(file.text(), None, Form::Text, MAX_HELD_JSON);
            return self.texts.encoded(&file, &edits);
        }
        self.level(text, name, form, MAX_HELD_JSON)
    }

    fn level(&mut self, text: &str, name: Option<&str>, form: Form, levels: u32) -> Vec<Edit> {
        let is_key = form == Form::Key;
        let may_hold_json = !is_key && levels > 0;
        let held = may_hold_json.then(|| self.walked.memo.tape(text));
        let Some((number, Some(tape))) = held else {
            let context = match form {
                Form::Arguments => Context::Json,
                _ => Context::MayBeJson,
            };
            let nesting = Nesting::new(context, levels);
            let edits = self.texts.plain(text, name, nesting);
            // Each file is shorter than the one that it is in, so that there are few in one another.
            return if is_key {
                edits
            } else {
                self.files(text, edits, levels)
            };
        };
        let held = HeldJson {
            is_arguments: form == Form::Arguments,
            levels: levels - 1,
        };
        let mut edits = Vec::new();
        self.value(tape.root(text), name, held, &mut edits);
        self.walked.memo.keep_tape(number, tape);
        edits
    }

    /// The edits of a text together with those of the files in it.
    fn files(&mut self, text: &str, edits: Vec<Edit>, levels: u32) -> Vec<Edit> {
        let found = self.walked.files.of(text, self.texts.may_hold_files());
        if found.is_empty() {
            return edits;
        }
        let mut of_files = Vec::new();
        for Embedded { start, file } in found {
            let of_file = self.level(file.text(), None, Form::Text, levels);
            let of_file = self.texts.encoded(&file, &of_file).into_iter();
            of_files.extend(of_file.map(|edit| edit.moved_by(start)));
        }
        encoded::merged(edits, of_files)
    }

    fn value(&mut self, value: Value<'_>, name: Option<&str>, held: HeldJson, out: &mut Vec<Edit>) {
        match value.kind() {
            Kind::Object => self.members(value, held, out),
            Kind::Array => self.elements(value, name, held, out),
            Kind::String => {
                self.held_string(value, held, out, |walk, text| {
                    walk.level(text, name, Form::Text, held.levels)
                });
            }
            Kind::Scalar if !held.is_arguments => {
                let start = value.start();
                let nesting = Nesting::new(Context::Plain, held.levels);
                let edits = self.texts.plain(value.raw(), name, nesting).into_iter();
                out.extend(edits.map(|edit| edit.moved_by(start)));
            }
            Kind::Scalar | Kind::Key => {}
        }
    }

    fn members(&mut self, object: Value<'_>, held: HeldJson, out: &mut Vec<Edit>) {
        let beside = object
            .member("name")
            .or_else(|| object.member("key"))
            .filter(|v| v.is_string());
        for (key, value) in object.members() {
            self.held_string(key, held, out, |walk, text| walk.name(text, held));
            let namer = beside.filter(|_| key.raw_content().eq_ignore_ascii_case("value"));
            self.value(value, Some(&namer.unwrap_or(key).text()), held, out);
        }
    }

    fn name(&mut self, text: &str, held: HeldJson) -> Vec<Edit> {
        if held.is_arguments && self.is_declared(text) {
            self.texts.pass_declared(text);
            return Vec::new();
        }
        let nesting = Nesting::new(Context::MayBeJson, held.levels);
        self.texts.plain(text, None, nesting)
    }

    /// The edits of a string of JSON that a text holds.
    fn held_string(
        &mut self,
        value: Value<'_>,
        held: HeldJson,
        out: &mut Vec<Edit>,
        edit: impl FnOnce(&mut Self, &str) -> Vec<Edit>,
    ) {
        let (first, start) = (out.len(), value.start() + 1);
        self.string(value, out, edit);
        // The strings of arguments are texts themselves.
        if !held.is_arguments {
            for edit in out.iter().skip(first) {
                let written = value
                    .raw_content()
                    .get(edit.start - start..edit.end - start);
                self.texts
                    .spelled(&edit.text, written.unwrap_or_default(), edit.start == start);
            }
        }
    }

    /// The edits of a string, which `edit` makes of its text.
    fn string(
        &mut self,
        value: Value<'_>,
        out: &mut Vec<Edit>,
        edit: impl FnOnce(&mut Self, &str) -> Vec<Edit>,
    ) {
        let (number, text) = self.walked.memo.text(value);
        let edits = edit(self, &text);
        self.walked.memo.keep_text(number, text);
        edits_in_string(value.raw_content(), value.start() + 1, edits, out);
    }

    fn elements(
        &mut self,
        array: Value<'_>,
        name: Option<&str>,
        held: HeldJson,
        out: &mut Vec<Edit>,
    ) {
        let mut before: Option<Value<'_>> = None;
        for element in array.elements() {
            let flag = before.filter(|value| value.is_string()).map(Value::text);
            let flag = flag.filter(|flag| flag.starts_with('-'));
            self.value(element, flag.as_deref().or(name), held, out);
            before = Some(element);
        }
    }
}

/// How JSON that a text holds is masked.
#[derive(Clone, Copy)]
struct HeldJson {
    /// Of a call: numbers keep their type, and names that a tool declares stay (R3).
    is_arguments: bool,
    levels: u32,
}
