//! Reads the records in `rules/forms` and generates Rust from them.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The shortest command name that is searched for whatever follows it, in bytes; shorter ones must
/// be followed by a space.
const SHORTEST_ALONE: usize = 4;
const SHORTEST: usize = 3;
/// Length of the characters that tables are drawn with, in bytes.
const STROKE: usize = 3;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forms {
    command: Vec<Command>,
    setter: Vec<Setter>,
    call: Vec<Call>,
    fill: Vec<Fill>,
    comparison: Vec<Opening>,
    wrapper: Vec<Opening>,
    answer: Vec<Opening>,
    stroke: Vec<Stroke>,
}

#[derive(Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are fields of the records"
)]
struct Command {
    id: String,
    words: String,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    joined: Vec<String>,
    #[serde(default)]
    argument: u8,
    #[serde(default)]
    switch: String,
    after: Option<char>,
    until: Option<char>,
    behind: Option<char>,
    #[serde(default)]
    slash: bool,
    #[serde(default)]
    stdin: bool,
    #[serde(default)]
    prints: bool,
    #[serde(default)]
    named: bool,
    #[serde(default)]
    except: Vec<String>,
    #[serde(flatten)]
    examples: Examples,
}

#[derive(Deserialize)]
struct Setter {
    words: String,
    #[serde(flatten)]
    examples: Examples,
}

#[derive(Deserialize)]
struct Call {
    opening: String,
    #[serde(default)]
    argument: u8,
    #[serde(default)]
    pairs: bool,
    #[serde(default)]
    mixed: bool,
    #[serde(flatten)]
    examples: Examples,
}

#[derive(Deserialize)]
struct Fill {
    method: String,
    #[serde(flatten)]
    examples: Examples,
}

#[derive(Deserialize)]
struct Opening {
    opening: String,
    #[serde(flatten)]
    examples: Examples,
}

#[derive(Deserialize)]
struct Stroke {
    sign: String,
    #[serde(flatten)]
    examples: Examples,
}

/// Texts that the tests run; every record has one of each kind.
#[derive(Deserialize)]
struct Examples {
    r#match: Vec<String>,
    no_match: Vec<String>,
}

pub(crate) fn parse(text: &str) -> Result<Forms, String> {
    let forms: Forms = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut ids = BTreeSet::new();
    for command in &forms.command {
        check(&command.id, &command.words, &command.examples)?;
        check_command(command).map_err(|error| format!("command {}: {error}", command.id))?;
        if !ids.insert(&command.id) {
            return Err(format!("command {}: the id is taken", command.id));
        }
    }
    for setter in &forms.setter {
        check("setter", &setter.words, &setter.examples)?;
    }
    for call in &forms.call {
        check("call", &call.opening, &call.examples)?;
        if call.opening.len() < SHORTEST || (call.argument > 0) == call.pairs {
            return Err(format!(
                "call {:?}: too short, or neither an argument nor pairs",
                call.opening
            ));
        }
    }
    for fill in &forms.fill {
        check("fill", &fill.method, &fill.examples)?;
    }
    let openings = forms.comparison.iter().chain(&forms.wrapper);
    for opening in openings.chain(&forms.answer) {
        check("opening", &opening.opening, &opening.examples)?;
    }
    for stroke in &forms.stroke {
        check("stroke", &stroke.sign, &stroke.examples)?;
        if stroke.sign.len() != STROKE {
            return Err(format!("stroke {:?}: not {STROKE} bytes", stroke.sign));
        }
    }
    Ok(forms)
}

fn check(what: &str, text: &str, examples: &Examples) -> Result<(), String> {
    if text.is_empty() || text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(format!("{what} {text:?}: not in lower case"));
    }
    let marked = examples.r#match.iter().all(|text| text.contains('⟦'));
    if examples.r#match.is_empty() || examples.no_match.is_empty() || !marked {
        return Err(format!(
            "{what} {text:?}: needs texts that match, with the value in ⟦ ⟧, and texts that do not"
        ));
    }
    Ok(())
}

fn check_command(command: &Command) -> Result<(), String> {
    let signs = [command.after, command.until, command.behind];
    if signs.iter().flatten().any(|sign| !sign.is_ascii()) {
        return Err("a sign is not ASCII".to_owned());
    }
    let finds = !command.options.is_empty()
        || !command.joined.is_empty()
        || command.argument > 0
        || command.behind.is_some()
        || command.stdin
        || command.prints;
    if !finds || command.words.len() < SHORTEST - 1 {
        return Err("nothing says where the value stands".to_owned());
    }
    Ok(())
}

pub(crate) fn rust(forms: &Forms) -> String {
    let mut out = String::from("pub(in crate::detect) static COMMANDS: &[Command] = &[\n");
    for command in &forms.command {
        out.push_str(&command_rust(command));
    }
    out.push_str("];\npub(in crate::detect) static CALLS: &[Call] = &[\n");
    for call in &forms.call {
        let place = call.argument.saturating_sub(1);
        let _ = writeln!(
            out,
            "Call {{ opening: {:?}, place: {place}, pairs: {}, mixed: {} }},",
            call.opening, call.pairs, call.mixed
        );
    }
    out.push_str("];\n");
    let list = |name: &str, texts: &mut dyn Iterator<Item = &String>| {
        let texts: Vec<_> = texts.map(|text| format!("{text:?}")).collect();
        format!(
            "pub(in crate::detect) const {name}: &[&str] = &[{}];\n",
            texts.join(", ")
        )
    };
    out.push_str(&list(
        "SETTERS",
        &mut forms.setter.iter().map(|own| &own.words),
    ));
    out.push_str(&list(
        "FILLS",
        &mut forms.fill.iter().map(|own| &own.method),
    ));
    out.push_str(&list(
        "COMPARISONS",
        &mut forms.comparison.iter().map(|own| &own.opening),
    ));
    out.push_str(&list(
        "WRAPPERS",
        &mut forms.wrapper.iter().map(|own| &own.opening),
    ));
    out.push_str(&list(
        "ANSWERS",
        &mut forms.answer.iter().map(|own| &own.opening),
    ));
    out.push_str(&list(
        "STROKES",
        &mut forms.stroke.iter().map(|own| &own.sign),
    ));
    out
}

fn command_rust(command: &Command) -> String {
    let is_short = command.words.len() < SHORTEST_ALONE;
    let ends_word = command
        .words
        .ends_with(|last: char| last.is_ascii_alphanumeric());
    let literal = if is_short && ends_word {
        format!("{} ", command.words)
    } else {
        command.words.clone()
    };
    let sign = |sign: Option<char>| sign.map_or(0, u32::from);
    format!(
        "Command {{ words: {:?}, literal: {literal:?}, options: &{:?}, joined: &{:?}, argument: {}, switch: {:?}, \
         after: {}, until: {}, behind: {}, slash: {}, stdin: {}, prints: {}, named: {}, except: &{:?} }},\n",
        command.words,
        command.options,
        command.joined,
        command.argument,
        command.switch,
        sign(command.after),
        sign(command.until),
        sign(command.behind),
        command.slash,
        command.stdin,
        command.prints,
        command.named,
        command.except
    )
}
