//! Fills the holes of a form, and says where the secrets are.

use super::forms::Form;
use super::half::Half;
use super::innocent::{self, stand};
use super::names::{Name, Names, Takes};
use super::personal;
use super::random::Random;
use super::secret;
use super::text::Text;

/// What is drawn for one line.
struct Line {
    name: Name,
    value: Value,
}

/// A value as its form writes it.
struct Value {
    text: String,
    /// What it is labelled as, if it is.
    label: Option<Label>,
    /// It stands without the quotes of the form.
    expression: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Label {
    Secret(&'static str),
    Ignore,
}

/// What a record is to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Polarity {
    Secrets,
    None,
}

/// Draws a record of a form.
pub(super) fn draw(form: &Form, random: &mut Random, half: Half) -> Text {
    let polarity = if form.holds_values() && random.below(5) < 3 {
        Polarity::Secrets
    } else {
        Polarity::None
    };
    let header = form.before.contains('«') && !names(form.line);
    let first = name(form, random, half, polarity, true);
    let mut text = Text::default();
    fill(
        &mut text,
        form.before,
        &Line {
            name: first.clone(),
            value: Value::none(),
        },
        random,
        half,
    );
    let lines = form.between.map_or(1, |_| random.between(1, 4));
    for index in 0..lines {
        if index > 0 {
            text.push(form.between.unwrap_or_default());
        }
        // The first line of a record with secrets has one, the others what comes.
        let secret = polarity == Polarity::Secrets && (index == 0 || random.one_in(2));
        let name = if header || index == 0 {
            first.clone()
        } else {
            name(form, random, half, polarity, secret)
        };
        let value = value(form, random, half, &name, secret);
        fill(&mut text, form.line, &Line { name, value }, random, half);
    }
    text.push(form.after);
    text
}

/// A record of a form with one line, that of a name and a value; the value is labelled if a label is given.
pub(super) fn place(
    form: &Form,
    name: Name,
    value: &str,
    label: Option<Label>,
    random: &mut Random,
    half: Half,
) -> Text {
    let value = Value {
        text: value.to_owned(),
        label,
        expression: false,
    };
    let line = Line { name, value };
    let mut text = Text::default();
    for template in [form.before, form.line, form.after] {
        fill(&mut text, template, &line, random, half);
    }
    text
}

/// Whether a template shows the name.
fn names(template: &str) -> bool {
    let name = Name::password();
    holes(template).any(|(_, hole)| hole.is_some_and(|hole| name.styled(split(hole).0).is_some()))
}

fn name(form: &Form, random: &mut Random, half: Half, polarity: Polarity, secret: bool) -> Name {
    let list = Names::get(half);
    if !names(form.line) && !names(form.before) {
        return Name::password();
    }
    let secrets =
        form.secrets_only || !form.holds_values() || polarity == Polarity::Secrets && secret;
    match random.below(3) {
        _ if secrets => list.secret(random),
        0 => list.secret(random),
        1 => list.other(random),
        _ => list.ordinary(random),
    }
}

fn value(form: &Form, random: &mut Random, half: Half, name: &Name, secret: bool) -> Value {
    if !form.holds_values() {
        return Value::none();
    }
    if let Takes::Innocent(kind) = name.takes {
        let text = fitting(form, || kind.draw(random, half));
        let label = kind.is_ambiguous().then_some(Label::Ignore);
        return Value {
            text: form.spelling.write(&text),
            label,
            expression: false,
        };
    }
    if !secret {
        let stand = stand(random, half, name, form.spelling, form.code);
        let text = if stand.expression {
            stand.text
        } else {
            form.spelling.write(&stand.text)
        };
        let label = stand.ambiguous.then_some(Label::Ignore);
        return Value {
            text,
            label,
            expression: stand.expression,
        };
    }
    let mut kind = "";
    let text = fitting(form, || {
        let (drawn, value) = secret::draw(random, half, name.takes);
        kind = drawn;
        value
    });
    Value {
        text: form.spelling.write(&text),
        label: Some(Label::Secret(kind)),
        expression: false,
    }
}

/// Draws until a value fits its form, but not for ever: some innocent values fit none.
fn fitting(form: &Form, mut draw: impl FnMut() -> String) -> String {
    let mut value = draw();
    for _ in 0..40 {
        if form.spelling.fits(&value) {
            break;
        }
        value = draw();
    }
    value
}

impl Value {
    fn none() -> Self {
        Self {
            text: String::new(),
            label: None,
            expression: false,
        }
    }

    fn push(&self, text: &mut Text) {
        match self.label {
            Some(Label::Secret(kind)) => text.push_span(&self.text, "SECRET", Some(kind)),
            Some(Label::Ignore) => text.push_span(&self.text, "IGNORE", None),
            None => text.push(&self.text),
        }
    }
}

/// Appends a template with its holes filled.
fn fill(text: &mut Text, template: &str, line: &Line, random: &mut Random, half: Half) {
    // Whether the quote before an expression was left out, and the one behind is to be.
    let mut unquoted = false;
    for (literal, hole) in holes(template) {
        let literal = &literal[usize::from(unquoted)..];
        let (hole, width) = split(hole.unwrap_or_default());
        unquoted = hole == "value" && line.value.expression;
        text.push(&literal[..literal.len() - usize::from(unquoted)]);
        let start = text.len();
        match hole {
            "" => {}
            "value" => line.value.push(text),
            "old" => {
                let (_, old) = secret::draw(random, half, Takes::Key);
                text.push_span(&old, "IGNORE", None);
            }
            _ => {
                if let Some((entity, datum)) = personal::draw(hole, random, half) {
                    text.push_span(&datum, entity, None);
                } else {
                    let filling = line.name.styled(hole);
                    let filling = filling.or_else(|| innocent::hole(hole, random, half));
                    text.push(&filling.unwrap_or_else(|| panic!("no hole is called {hole}")));
                }
            }
        }
        text.pad(start, width);
    }
}

/// The name of a hole, and how wide it is.
fn split(hole: &str) -> (&str, usize) {
    match hole.split_once(':') {
        Some((name, width)) => (name, width.parse().unwrap_or_default()),
        None => (hole, 0),
    }
}

/// The literals of a template, each with the hole behind it.
fn holes(template: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(template);
    std::iter::from_fn(move || {
        let text = rest?;
        let parts = text.split_once('«').and_then(|(literal, behind)| {
            let (hole, behind) = behind.split_once('»')?;
            Some((literal, hole, behind))
        });
        if let Some((literal, hole, behind)) = parts {
            rest = Some(behind);
            Some((literal, Some(hole)))
        } else {
            rest = None;
            Some((text, None))
        }
    })
}
