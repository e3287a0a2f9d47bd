//! Walks a body by its table.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::Form;
use super::generic;
use super::json_schema;
use super::rule::{Members, Object, Rule, Type, find};
use super::settings::Settings;
use crate::json::{Kind, Value};
use crate::schema::coverage::Unread;
use crate::schema::encoded::{self, Content};

/// The visitor of a walk.
pub(super) trait Sink<'t> {
    /// Replies restore settings and ids too: it is harmless, and a token must not get through.
    const READS_ALL: bool;

    fn leaf(&mut self, value: Value<'t>, name: Option<Value<'t>>, form: Form);

    /// A string of the format's own was left.
    fn left(&mut self, value: Value<'t>);

    /// The leaf of this text is reported separately.
    fn signed(&mut self, text: Value<'t>, signature: Value<'t>);

    /// Unreadable content was left.
    fn unread(&mut self, what: Unread);

    /// A property name of a tool's schema.
    fn declared(&mut self, name: Value<'t>);
}

/// The value next to a name, and the name.
type Name<'t> = Option<Value<'t>>;

pub(super) fn walk<'t, S: Sink<'t>>(sink: &mut S, rule: &Rule, value: Value<'t>, name: Name<'t>) {
    match rule {
        Rule::Opaque => {}
        Rule::File => media(sink, value),
        Rule::Sealed => sealed(sink, value, true),
        Rule::Signature => sealed(sink, value, false),
        Rule::Settings(places) => settings(sink, Settings::new(places), value, name),
        Rule::Id => id(sink, value, name),
        Rule::Url => url(sink, value, name),
        Rule::Text => text(sink, value, name, Form::Text),
        Rule::Input => text(sink, value, name, Form::Input),
        Rule::Prose => text(sink, value, name, Form::Prose),
        Rule::Signed(_) => text(sink, value, name, Form::Signed),
        Rule::Answer => text(sink, value, name, Form::Answer),
        Rule::Arguments => arguments(sink, value, name),
        Rule::Any => any(sink, value, name, Subtree::Any),
        Rule::Unknown => any(sink, value, name, Subtree::Unknown),
        Rule::Generic => generic::walk(sink, value, name),
        Rule::Shapeless => any(sink, value, name, Subtree::Shapeless),
        Rule::Schema => json_schema::read(sink, value, name),
        Rule::Each(rule) => each(sink, rule, value, name),
        Rule::Object(known) => object(sink, known, value, name),
    }
}

fn object<'t, S: Sink<'t>>(sink: &mut S, known: &Object, value: Value<'t>, name: Name<'t>) {
    match value.kind() {
        Kind::Object => members(sink, known, value),
        Kind::Array => value
            .elements()
            .for_each(|element| object(sink, known, element, name)),
        _ => walk(sink, &known.bare, value, name),
    }
}

/// An object, and what many of its members need: looked up once, however many need it.
pub(super) struct Parent<'t> {
    object: Value<'t>,
    /// What is next to a member called `value`.
    name: OnceCell<Option<Value<'t>>>,
    signature: OnceCell<Option<Value<'t>>>,
    is_base64_media: OnceCell<bool>,
}

impl<'t> Parent<'t> {
    pub(super) const fn new(object: Value<'t>) -> Self {
        Self {
            object,
            name: OnceCell::new(),
            signature: OnceCell::new(),
            is_base64_media: OnceCell::new(),
        }
    }

    /// The name of a member's value: a `name` next to a `value`, otherwise the member's own name.
    pub(super) fn naming(&self, key: Value<'t>) -> Value<'t> {
        if !key.is_text("value") && !key.is_text("Value") {
            return key;
        }
        let beside = self.name.get_or_init(|| {
            ["name", "Name", "key", "Key"]
                .iter()
                .filter_map(|name| self.object.member(name))
                .find(|name| name.is_string())
        });
        beside.unwrap_or(key)
    }

    /// The one signature that the table knows for the object.
    fn signature(&self, name: &str) -> Option<Value<'t>> {
        *self.signature.get_or_init(|| self.object.member(name))
    }

    fn is_base64_media(&self) -> bool {
        *self
            .is_base64_media
            .get_or_init(|| is_base64_media(self.object))
    }
}

fn members<'t, S: Sink<'t>>(sink: &mut S, known: &Object, value: Value<'t>) {
    let parent = Parent::new(value);
    let (of_type, others) = of_type(known, value);
    let is_unknown = of_type.is_empty() && !known.types.is_empty();
    for (key, member) in value.members() {
        let name = key.text();
        let rule = find(of_type, &name).or_else(|| find(known.members, &name));
        // An object of an unknown type may be data, and its type a value.
        let is_value = name == "type" && is_unknown && !generic::is_word(member);
        let rule = rule.filter(|_| !is_value);
        match rule {
            Some(rule) => {
                if let Rule::Signed(signature) = rule {
                    signed(sink, member, parent.signature(signature));
                }
                walk(sink, rule, member, None);
            }
            None => other(sink, others, &parent, key, member),
        }
    }
}

/// The members that an object has by its type, and how its other members are read.
fn of_type<'k>(known: &'k Object, value: Value<'_>) -> (Members, &'k Rule) {
    let nothing: (Members, &Rule) = (&[], &known.others);
    if known.types.is_empty() {
        return nothing;
    }
    let Some(wanted) = type_of(value, known.untyped) else {
        return nothing;
    };
    if wanted.is_empty() {
        return (&[], &Rule::Shapeless);
    }
    known
        .types
        .iter()
        .find(|Type(names, _)| names.contains(&&*wanted))
        .map_or(nothing, |Type(_, members)| (members, &known.others))
}

/// The type of an object; `None` if it has two.
fn type_of<'t>(value: Value<'t>, untyped: &'static str) -> Option<Cow<'t, str>> {
    let mut types = value
        .members()
        .filter(|(key, _)| key.is_text("type"))
        .map(|(_, value)| value)
        .filter(|value| value.raw() != "null");
    let Some(first) = types.next() else {
        return Some(Cow::Borrowed(untyped));
    };
    let text = first.text();
    types
        .all(|another| another.kind() == first.kind() && another.is_text(&text))
        .then_some(text)
}

pub(super) fn signed<'t, S: Sink<'t>>(sink: &mut S, text: Value<'t>, signature: Option<Value<'t>>) {
    let Some(signature) = signature else { return };
    let is_filled = |value: Value<'_>| value.is_string() && !value.raw_content().is_empty();
    if is_filled(text) && is_filled(signature) {
        sink.signed(text, signature);
    }
}

/// A member that the table doesn't have.
fn other<'t, S: Sink<'t>>(
    sink: &mut S,
    rule: &Rule,
    parent: &Parent<'t>,
    key: Value<'t>,
    member: Value<'t>,
) {
    match rule {
        Rule::Unknown => unknown_member(sink, parent, key, member, Subtree::Unknown),
        Rule::Shapeless => unknown_member(sink, parent, key, member, Subtree::Shapeless),
        Rule::Settings(places) => {
            member_of_settings(sink, Settings::new(places), parent, key, member);
        }
        rule => {
            if matches!(rule, Rule::Generic) {
                sink.leaf(key, None, Form::Key);
            }
            walk(sink, rule, member, Some(key));
        }
    }
}

fn id<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>) {
    if value.is_string() && encoded::is_data_url(&value.text()) {
        return data_url(sink, value);
    }
    if S::READS_ALL || !value.is_string() {
        any(sink, value, name, Subtree::Shapeless);
    } else {
        sink.left(value);
    }
}

/// A URL that the provider fetches. Servers take base64 in its place, too, and what has white space or quotes is text.
fn url<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>) {
    let text = value.text();
    if !value.is_string() || generic::is_url(value) || encoded::is_data_url(&text) {
        return id(sink, value, name);
    }
    match encoded::read(&text) {
        Content::Text(_) if !encoded::may_be_key(&text) => sink.leaf(value, name, Form::Base64),
        _ if text.contains(|letter: char| letter.is_whitespace() || letter == '"') => {
            sink.leaf(value, name, Form::Text);
        }
        _ => id(sink, value, name),
    }
}

/// A `data:` URL in place of another URL: a file.
fn data_url<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>) {
    let text = value.text();
    match encoded::read(&text) {
        Content::Text(_) => sink.leaf(value, None, Form::Base64),
        Content::Binary => sink.unread(Unread::of_base64(&text)),
        Content::Plain => sink.leaf(value, None, Form::Text),
    }
}

fn media<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>) {
    match value.kind() {
        Kind::String => file(sink, value, None),
        _ => any(sink, value, None, Subtree::Shapeless),
    }
}

/// A string that should be a file in base64.
pub(super) fn file<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>) {
    let text = value.text();
    match encoded::read(&text) {
        _ if text.is_empty() => {}
        Content::Text(_) => sink.leaf(value, None, Form::Base64),
        Content::Binary if encoded::is_data_url(&text) || !encoded::may_be_key(&text) => {
            sink.unread(Unread::of_base64(&text));
        }
        Content::Binary | Content::Plain => sink.leaf(value, name, Form::Text),
    }
}

/// What the provider encrypted or signed.
fn sealed<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, is_counted: bool) {
    match value.kind() {
        Kind::String if value.raw_content().is_empty() => {}
        Kind::String if encoded::is_opaque(&value.text()) => {
            if is_counted {
                sink.unread(Unread::Encrypted);
            }
        }
        Kind::String => sink.leaf(value, None, Form::Text),
        _ => any(sink, value, None, Subtree::Any),
    }
}

fn text<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>, form: Form) {
    match value.kind() {
        Kind::String if !S::READS_ALL && is_base64_url(value) => file(sink, value, name),
        Kind::String => sink.leaf(value, name, form),
        Kind::Array => list(value, name, |element, name| text(sink, element, name, form)),
        _ => any(sink, value, name, Subtree::Shapeless),
    }
}

fn arguments<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>) {
    if value.is_string() {
        sink.leaf(value, name, Form::Arguments);
    } else {
        any(sink, value, name, Subtree::Any);
    }
}

fn each<'t, S: Sink<'t>>(sink: &mut S, rule: &Rule, value: Value<'t>, name: Name<'t>) {
    if !value.is_object() {
        return walk(sink, rule, value, name);
    }
    for (key, member) in value.members() {
        walk(sink, rule, member, Some(key));
    }
}

/// Words of settings contain nothing to mask; in a reply they may contain what was masked
/// elsewhere.
fn settings<'t, S: Sink<'t>>(sink: &mut S, at: Settings, value: Value<'t>, name: Name<'t>) {
    if S::READS_ALL {
        return any(sink, value, None, Subtree::Settings);
    }
    match value.kind() {
        _ if at.is_whole() => {}
        Kind::Array => {
            let elements = value.elements();
            elements.for_each(|element| settings(sink, at, element, name));
        }
        Kind::Object => {
            let parent = Parent::new(value);
            for (key, member) in value.members() {
                member_of_settings(sink, at, &parent, key, member);
            }
        }
        _ if at.is_compared() => sink.left(value),
        _ if at.is_word() => {}
        _ => any(sink, value, name, Subtree::Unknown),
    }
}

pub(super) fn member_of_settings<'t, S: Sink<'t>>(
    sink: &mut S,
    among: Settings,
    parent: &Parent<'t>,
    key: Value<'t>,
    member: Value<'t>,
) {
    if S::READS_ALL {
        return any(sink, member, None, Subtree::Settings);
    }
    match among.member(&key.text()) {
        Some(at) => settings(sink, at, member, Some(key)),
        None => unknown_member(sink, parent, key, member, Subtree::Unknown),
    }
}

/// The content of a value without a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subtree {
    /// JSON that the client or the model made up: every string and member name.
    Any,
    /// An unknown member or part: what can only be opaque is left (R2).
    Unknown,
    /// JSON in place of a text or a part: data, except base64 media.
    Shapeless,
    /// Settings in a reply: member names are nobody's data.
    Settings,
}

pub(super) fn any<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Name<'t>, below: Subtree) {
    match value.kind() {
        Kind::String if is_base64_url(value) => file(sink, value, name),
        Kind::String => sink.leaf(value, name, Form::Text),
        Kind::Array => list(value, name, |element, name| any(sink, element, name, below)),
        _ => {
            let parent = Parent::new(value);
            for (key, member) in value.members() {
                unknown_member(sink, &parent, key, member, below);
            }
        }
    }
}

fn unknown_member<'t, S: Sink<'t>>(
    sink: &mut S,
    parent: &Parent<'t>,
    key: Value<'t>,
    member: Value<'t>,
    below: Subtree,
) {
    if below != Subtree::Any && leave_opaque(sink, parent, key, member, below) {
        return;
    }
    if below != Subtree::Settings {
        sink.leaf(key, None, Form::Key);
    }
    any(sink, member, Some(parent.naming(key)), below);
}

/// Leaves what the provider sealed, and reads a file by its content; `false` if a member is
/// neither.
pub(super) fn leave_opaque<'t, S: Sink<'t>>(
    sink: &mut S,
    parent: &Parent<'t>,
    key: Value<'t>,
    member: Value<'t>,
    below: Subtree,
) -> bool {
    if !member.is_string() {
        return false;
    }
    let name = key.text();
    if is_sealed::<S>(&name, member, below) {
        sealed(sink, member, true);
    } else if FILES.contains(&&*name) || name == "data" && parent.is_base64_media() {
        file(sink, member, Some(key));
    } else {
        return false;
    }
    true
}

/// Members that hold a file in base64, whatever the format.
const FILES: &[&str] = &[
    "audioBytes",
    "b64_json",
    "bytes",
    "bytesBase64Encoded",
    "file_data",
    "imageBytes",
    "videoBytes",
];

/// Whether a string of an unknown part is sealed by the provider. JSON without a type is data.
fn is_sealed<'t, S: Sink<'t>>(name: &str, value: Value<'t>, below: Subtree) -> bool {
    names_seal(name)
        && (S::READS_ALL || below != Subtree::Shapeless)
        && encoded::is_opaque(&value.text())
}

/// Whether a member holds a signature or what the provider encrypted, by its name.
fn names_seal(name: &str) -> bool {
    name.ends_with("signature") || name.ends_with("Signature") || name.starts_with("encrypted_")
}

fn is_base64_media(object: Value<'_>) -> bool {
    match type_of(object, "").as_deref() {
        Some("base64") => return true,
        Some("text") | None => return false,
        Some(_) => {}
    }
    media_types(object).next().is_some()
}

fn media_types(object: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    ["media_type", "mime_type", "mimeType"]
        .into_iter()
        .filter_map(move |name| object.member(name))
        .filter(|media| media.is_string())
}

/// Whether a string is only a base64 `data:` URL (R8).
fn is_base64_url(value: Value<'_>) -> bool {
    // A long text without the scheme needs no search.
    if !value.raw_content().starts_with("data:") {
        return false;
    }
    let text = value.text();
    let Some((head, payload)) = text.split_once(";base64,") else {
        return false;
    };
    let is_of = |text: &str, others: &[u8]| {
        let mut bytes = text.bytes();
        bytes.all(|byte| byte.is_ascii_alphanumeric() || others.contains(&byte))
    };
    head.len() < 128 && is_of(head, b":/;=.+-") && is_of(payload, b"+/=-_")
}

/// Elements with their names. In a list of arguments the flag before a value names it (R3b).
pub(super) fn list<'t>(
    value: Value<'t>,
    name: Name<'t>,
    mut read: impl FnMut(Value<'t>, Name<'t>),
) {
    let mut flag = None;
    for element in value.elements() {
        let is_flag = is_flag(element);
        read(element, if is_flag { name } else { flag.or(name) });
        flag = is_flag.then_some(element);
    }
}

fn is_flag(element: Value<'_>) -> bool {
    let text = element.raw_content();
    element.is_string()
        && text.starts_with('-')
        && text.len() > 1
        && !text.contains([' ', '=', '\\'])
}
