//! Decides which values are restored in which tool arguments.

use std::sync::Arc;

use crate::base::Glob;
use crate::schema::tool::{Tool, Truth};
use crate::{Origin, Origins};

use super::place::is_place;

include!(concat!(env!("OUT_DIR"), "/reach.rs"));

/// Which values may come back into the arguments of which tools: the first rule that matches decides, and without one
/// they do.
///
/// ```
/// use engine::{Origin, RestoreRules};
///
/// let guard = RestoreRules::from(RestoreRules::guard());
/// assert!(guard.withheld(Some("web_fetch"), Some("url")).hold(Origin::Tool));
/// assert!(!guard.withheld(Some("web_fetch"), Some("url")).hold(Origin::User));
/// assert!(guard.withheld(Some("write_file"), Some("text")).is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct RestoreRules(Arc<[RestoreRule]>);

/// One rule of [`RestoreRules`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreRule {
    /// The tools that it is for.
    pub tool: Glob,
    /// The arguments that it is for: the names on the way to the text, joined by dots, positions in lists left out.
    pub argument: Glob,
    /// Where the values came from that it is for.
    pub origins: Origins,
    /// What becomes of their tokens.
    pub action: RestoreAction,
    /// Which texts in those arguments it is for.
    pub texts: ArgumentTexts,
}

/// Which texts in arguments a rule is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentTexts {
    /// All of them. A rule that keeps is also for arguments without names, such as a patch.
    All,
    /// Those at the place of a name, or in arguments that may be broken JSON.
    Named,
    /// The same, where they are a place on the network.
    Places,
}

/// Where in the arguments of a call a string stands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Argument<'a> {
    /// The names on the way to it.
    At(&'a str),
    /// The same, with the whole text there.
    Text { names: &'a str, text: &'a str },
    /// Somewhere in a text at the place of these names, which is JSON but for some fault.
    In { names: &'a str, text: &'a str },
    /// They are a text without names, or come in pieces.
    FreeText,
    /// Nobody can say.
    Unknown,
}

impl<'a> From<Option<&'a str>> for Argument<'a> {
    fn from(names: Option<&'a str>) -> Self {
        names.map_or(Self::Unknown, Self::At)
    }
}

impl<'a> Argument<'a> {
    /// A text at the place of these names.
    pub(crate) fn of_text_at(names: &'a str, text: &'a str) -> Self {
        if is_nearly_json(text) {
            Self::In { names, text }
        } else {
            Self::Text { names, text }
        }
    }

    /// Where arguments begin that are not JSON, though they may be meant to be: cut off, in quotes, in a fence.
    pub(crate) fn of_text(text: &str) -> Self {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with(['{', '[', '"', '\'', '`']) {
            Self::Unknown
        } else {
            Self::FreeText
        }
    }
}

/// Whether a text that is no JSON begins as an object or a list does, in a fence or quotes or not.
fn is_nearly_json(text: &str) -> bool {
    let text = text
        .trim_start_matches(['\u{feff}', '"', '\''])
        .trim_start();
    let fenced = text
        .strip_prefix("```")
        .and_then(|code| code.split_once('\n'));
    let text = fenced.map_or(text, |(_, code)| code.trim_start());
    text.starts_with(['{', '['])
}

/// Whether a text may have a URL in it.
fn has_slashes(text: &str) -> bool {
    text.contains("//") || text.contains("\\/")
}

/// The names of members in a text that is nearly JSON: words before a colon, in quotes or not.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let before = text.match_indices(':').filter_map(|(at, _)| text.get(..at));
    before.filter_map(|before| {
        let before = before.trim_end_matches(|end: char| {
            end.is_whitespace() || matches!(end, '"' | '\'' | '\\' | '`')
        });
        before
            .rsplit(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-'))
            .next()
            .filter(|name| !name.is_empty())
    })
}

/// What becomes of a token in an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestoreAction {
    /// The value is restored.
    Allow,
    /// The token stays.
    Keep,
    /// The token stays, and the model is told why: once the client sends the result of the call, an error takes its place.
    Ask,
}

impl RestoreAction {
    /// The action of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "allow" => Some(Self::Allow),
            "keep" => Some(Self::Keep),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }
}

/// An entry that never decides, because an earlier one is for the same calls. Both by their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreachableRule {
    /// The place of the entry.
    pub entry: usize,
    /// The place of the earlier one.
    pub earlier: usize,
}

impl From<Vec<RestoreRule>> for RestoreRules {
    fn from(rules: Vec<RestoreRule>) -> Self {
        Self(rules.into())
    }
}

impl RestoreRules {
    /// The rules of a list, of which an entry may stand for several, such as the [preset](Self::guard).
    ///
    /// # Errors
    /// The first entry that never decides.
    pub fn of_entries(entries: &[Vec<RestoreRule>]) -> Result<Self, UnreachableRule> {
        for (entry, rules) in entries.iter().enumerate() {
            let before = entries.get(..entry).unwrap_or_default();
            if let Some(earlier) = covering(before, rules) {
                return Err(UnreachableRule { entry, earlier });
            }
        }
        Ok(entries.concat().into())
    }

    /// The rules of the preset `guard`: values that only a tool's result brought stay out of the arguments of tools
    /// that reach the network, and of arguments that name a place there or are one, whatever the tool is called.
    #[must_use]
    pub fn guard() -> Vec<RestoreRule> {
        let keep = |tool: &str, argument: &str, texts| RestoreRule {
            tool: Glob::new(tool),
            argument: Glob::new(argument),
            origins: Origins::default().with(Origin::Tool),
            action: RestoreAction::Keep,
            texts,
        };
        let tools = NETWORK.iter();
        let tools = tools.map(|tool| keep(tool, "*", ArgumentTexts::All));
        let arguments = PLACES.iter();
        let arguments = arguments.map(|argument| keep("*", argument, ArgumentTexts::Named));
        let places = [keep("*", "*", ArgumentTexts::Places)];
        tools.chain(arguments).chain(places).collect()
    }

    /// Whether every value is restored everywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The origins of values whose tokens stay in an argument of the tool with this name. If
    /// something about the call is unknown, the strictest result applies: only rules that allow
    /// everything allow it, and every rule that keeps applies.
    #[must_use]
    pub fn withheld(&self, tool: Option<&str>, argument: Option<&str>) -> Origins {
        self.withheld_from(tool.map(Tool::named).as_ref(), argument.into())
    }

    /// The same for a tool whose name may be in parts.
    pub(crate) fn withheld_from(&self, tool: Option<&Tool>, argument: Argument<'_>) -> Origins {
        let is_withheld = |origin: &Origin| {
            let action = self.action(tool, argument, *origin);
            action != RestoreAction::Allow
        };
        let withheld = Origin::ALL.into_iter().filter(is_withheld);
        withheld.fold(Origins::default(), Origins::with)
    }

    /// Whether some rule asks.
    pub(crate) fn may_ask(&self) -> bool {
        self.0.iter().any(|rule| rule.action == RestoreAction::Ask)
    }

    /// Whether a token in an argument of a tool may have stayed because of a rule that asks.
    pub(crate) fn asks(&self, tool: Option<&Tool>, argument: Option<&str>) -> bool {
        let asks = |origin| self.action(tool, argument.into(), origin) == RestoreAction::Ask;
        Origin::ALL.into_iter().any(asks)
    }

    fn action(&self, tool: Option<&Tool>, argument: Argument<'_>, origin: Origin) -> RestoreAction {
        let mut rules = self.0.iter();
        let first = rules.find(|rule| rule.is_for(tool, argument, origin));
        first.map_or(RestoreAction::Allow, |rule| rule.action)
    }
}

/// The last entry because of which another one never decides.
fn covering(earlier: &[Vec<RestoreRule>], rules: &[RestoreRule]) -> Option<usize> {
    let mut last = None;
    for rule in rules {
        for origin in Origin::ALL
            .into_iter()
            .filter(|origin| rule.origins.hold(*origin))
        {
            let mut entries = earlier.iter();
            let place = entries.position(|entry| entry.iter().any(|it| it.covers(rule, origin)))?;
            last = last.max(Some(place));
        }
    }
    last
}

impl RestoreRule {
    /// In doubt, a rule that keeps is for a call, and one that allows is not.
    fn is_for(&self, tool: Option<&Tool>, argument: Argument<'_>, origin: Origin) -> bool {
        let unknown = Truth::of_unknown;
        let of_tool = || tool.map_or_else(|| unknown(&self.tool), |tool| tool.is(&self.tool));
        let is_of_places = self.texts == ArgumentTexts::Places;
        let of_argument = || match argument {
            Argument::At(_) | Argument::FreeText if is_of_places => Truth::No,
            Argument::Text { names, text } if is_of_places && !is_place(names, text) => Truth::No,
            Argument::In { text, .. } if is_of_places && !has_slashes(text) => Truth::No,
            Argument::At(names) | Argument::Text { names, .. } => {
                is_at_or_below(names, |place| self.argument.matches(place)).into()
            }
            Argument::In { names, text } => {
                let is_here = is_at_or_below(names, |place| self.argument.matches(place));
                let is_below = || {
                    let above = format!("{names}.");
                    names_in(text).any(|name| self.argument.may_end(&above, name))
                };
                match is_here {
                    true => Truth::Yes,
                    false if is_below() => Truth::Maybe,
                    false => Truth::No,
                }
            }
            Argument::FreeText if self.texts != ArgumentTexts::All => Truth::No,
            Argument::FreeText | Argument::Unknown => unknown(&self.argument),
        };
        let least = match self.action {
            RestoreAction::Allow => Truth::Yes,
            RestoreAction::Keep | RestoreAction::Ask => Truth::Maybe,
        };
        self.origins.hold(origin) && of_argument() >= least && of_tool() >= least
    }

    fn covers_tool(&self, other: &Glob) -> bool {
        let is_sole = !other.as_str().contains('*');
        let keeps = self.action != RestoreAction::Allow;
        self.tool.covers(other)
            || is_sole && keeps && Tool::named(other.as_str()).is(&self.tool) != Truth::No
    }

    /// Whether this rule covers everything that another one matches of values with an origin, so that the other never
    /// decides about them.
    fn covers(&self, other: &Self, origin: Origin) -> bool {
        let argument = other.argument.as_str();
        self.origins.hold(origin)
            && self.covers_tool(&other.tool)
            && (self.texts == ArgumentTexts::All || self.texts == other.texts)
            && is_at_or_below(argument, |place| self.argument.covers(&Glob::new(place)))
    }
}

/// Whether an argument, or one above it, is the one: `url` for `url.href`.
fn is_at_or_below(argument: &str, is_one: impl Fn(&str) -> bool) -> bool {
    let above = argument.match_indices('.').map(|(dot, _)| dot);
    let mut places = above.filter_map(|dot| argument.get(..dot));
    is_one(argument) || places.any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(tool: &str, argument: &str, origins: &[Origin], action: RestoreAction) -> RestoreRule {
        RestoreRule {
            tool: Glob::new(tool),
            argument: Glob::new(argument),
            origins: origins
                .iter()
                .copied()
                .fold(Origins::default(), Origins::with),
            action,
            texts: ArgumentTexts::All,
        }
    }

    #[test]
    fn reach_examples_match_their_record() {
        for (pattern, matches, no_match) in EXAMPLES {
            let glob = Glob::new(pattern);
            let reaches = |name: &&str| Tool::named(name).is(&glob) != Truth::No;
            assert!(matches.iter().all(reaches), "{pattern}");
            let none = RestoreRules::from(RestoreRules::guard());
            for name in *no_match {
                let withheld = none.withheld_from(Some(&Tool::named(name)), Argument::FreeText);
                assert!(withheld.is_empty(), "{pattern} {name}");
            }
        }
    }

    /// A tool that reached the network under a name that the list lacks got every value.
    #[test]
    fn reach_network_arguments_are_guarded_for_any_tool() {
        let guard = RestoreRules::from(RestoreRules::guard());
        let keeps = |argument| {
            let of_tool = guard.withheld(Some("lookup"), argument);
            assert!(!of_tool.hold(Origin::User) && !of_tool.hold(Origin::System));
            of_tool.hold(Origin::Tool)
        };
        for (pattern, matches, no_match) in ARGUMENT_EXAMPLES {
            assert!(matches.iter().all(|name| keeps(Some(*name))), "{pattern}");
            assert!(!no_match.iter().any(|name| keeps(Some(*name))), "{pattern}");
        }
        assert!(keeps(Some("options.url")) && keeps(Some("url.href")));
        assert!(keeps(None), "an unknown argument may name a place");
        let patch = guard.withheld_from(Some(&Tool::named("lookup")), Argument::FreeText);
        assert!(!patch.hold(Origin::Tool), "a patch has no arguments");
    }

    #[test]
    fn the_first_rule_that_matches_decides_for_each_origin() {
        let rules = RestoreRules::from(vec![
            rule("fetch", "url", &Origin::ALL, RestoreAction::Allow),
            rule(
                "fetch",
                "*",
                &[Origin::Tool, Origin::System],
                RestoreAction::Keep,
            ),
        ]);
        let withheld = |argument| rules.withheld(Some("Fetch"), Some(argument));
        assert!(withheld("url").is_empty());
        assert!(withheld("body").hold(Origin::Tool) && withheld("body").hold(Origin::System));
        assert!(!withheld("body").hold(Origin::User));
        assert!(rules.withheld(Some("edit"), Some("url")).is_empty());
    }

    #[test]
    fn a_rule_asks_only_where_it_matches_first() {
        let of_tool = [Origin::Tool];
        let rules = RestoreRules::from(vec![
            rule("fetch", "url", &of_tool, RestoreAction::Keep),
            rule("fetch", "*", &of_tool, RestoreAction::Ask),
        ]);
        let (fetch, edit) = (Tool::named("fetch"), Tool::named("edit"));
        assert!(rules.may_ask() && !rules.asks(Some(&fetch), Some("url")));
        assert!(rules.asks(Some(&fetch), Some("body")) && !rules.asks(Some(&edit), None));
        assert!(
            rules
                .withheld(Some("fetch"), Some("body"))
                .hold(Origin::Tool)
        );
        assert!(!RestoreRules::from(RestoreRules::guard()).may_ask());
    }

    /// `guard` and rules for `mcp__deploy__*` did not see the namespace of a call.
    #[test]
    fn keep_matches_either_name_part_but_allow_needs_both() {
        let of_tool = [Origin::Tool];
        let run = Tool::of("mcp__deploy__", "run");
        let stays = |rules: Vec<RestoreRule>, tool: &Tool| {
            let rules = RestoreRules::from(rules);
            rules
                .withheld_from(Some(tool), None.into())
                .hold(Origin::Tool)
        };
        let keep = |tool| vec![rule(tool, "*", &of_tool, RestoreAction::Keep)];
        let allow = |tool| {
            vec![
                rule(tool, "*", &of_tool, RestoreAction::Allow),
                keep("*")[0].clone(),
            ]
        };
        for tool in ["mcp__deploy__*", "run", "*deploy*"] {
            assert!(stays(keep(tool), &run), "{tool}");
        }
        assert!(!stays(allow("mcp__deploy__run"), &run) && stays(allow("run"), &run));
        for tool in [Tool::of("mcp__fetch__", "get"), Tool::of("fetch", "get")] {
            assert!(stays(RestoreRules::guard(), &tool), "{tool:?}");
        }
    }

    /// A tool that reads such arguments all the same got the value.
    #[test]
    fn arguments_in_malformed_json_strings_are_kept() {
        let stays = |argument: &str, text: &str| {
            let place = Argument::of_text_at("body", text);
            let tool = Tool::named("f");
            let keep = rule("f", argument, &Origin::ALL, RestoreAction::Keep);
            let withheld = RestoreRules::from(vec![keep]).withheld_from(Some(&tool), place);
            withheld.hold(Origin::User)
        };
        for text in [
            r#"{"url":"x"} y"#,
            r#"{"url":"x",}"#,
            "{'url':'x'}",
            "{url: x}",
            "```json\n{\"url\":\"x\"}\n```",
            r#"{"url":"x"#,
            r#""{\"url\":\"x"#,
        ] {
            for argument in ["body.url", "*.url", "*url", "body.*", "body"] {
                assert!(stays(argument, text), "{argument} {text}");
            }
            for argument in ["url", "body.to", "*.to", "body.url.a.b"] {
                assert!(!stays(argument, text), "{argument} {text}");
            }
        }
        assert!(!stays("body.url", "see url: x"), "prose");
    }

    #[test]
    fn an_argument_rule_covers_nested_members() {
        let rules = vec![rule("f", "url", &Origin::ALL, RestoreAction::Keep)];
        let rules = RestoreRules::from(rules);
        let stays = |argument| rules.withheld(Some("f"), argument).hold(Origin::User);
        assert!(stays(Some("url")) && stays(Some("url.href")) && stays(None));
        assert!(!stays(Some("urls")) && !stays(Some("body.url")));
    }

    /// Such rules were accepted, and never decided.
    #[test]
    fn rules_covered_by_earlier_rules_are_detected() {
        let one = |tool, argument, origins: &[Origin], action| {
            vec![rule(tool, argument, origins, action)]
        };
        let of_tool = [Origin::Tool];
        let (keep, allow) = (RestoreAction::Keep, RestoreAction::Allow);
        for (entries, covered) in [
            (
                vec![
                    RestoreRules::guard(),
                    one("web_fetch", "*", &of_tool, allow),
                ],
                true,
            ),
            (
                vec![
                    RestoreRules::guard(),
                    one("send_message", "url", &of_tool, allow),
                ],
                true,
            ),
            // As it is spelled: the words of `sendmessage` are others.
            (
                vec![
                    RestoreRules::guard(),
                    one("sendMessage", "*", &of_tool, allow),
                ],
                true,
            ),
            (
                vec![
                    RestoreRules::guard(),
                    one("web_fetch", "*", &Origin::ALL, allow),
                ],
                false,
            ),
            (
                vec![
                    RestoreRules::guard(),
                    one("write_file", "*", &of_tool, allow),
                ],
                false,
            ),
            (
                vec![
                    one("x*", "*", &of_tool, keep),
                    one("xy", "*", &of_tool, allow),
                ],
                true,
            ),
            (
                vec![
                    one("x*", "*", &of_tool, keep),
                    one("x*y", "*", &of_tool, allow),
                ],
                true,
            ),
            (
                vec![
                    one("xy*", "*", &of_tool, keep),
                    one("x*", "*", &of_tool, allow),
                ],
                false,
            ),
            (
                vec![
                    one("x", "url", &of_tool, keep),
                    one("x", "url.*", &of_tool, allow),
                ],
                true,
            ),
            (
                vec![
                    one("x", "url.a", &of_tool, keep),
                    one("x", "url", &of_tool, allow),
                ],
                false,
            ),
        ] {
            assert_eq!(
                RestoreRules::of_entries(&entries).is_err(),
                covered,
                "{entries:?}"
            );
        }
    }

    /// A call whose tool or argument can't be told may be any.
    #[test]
    fn an_unknown_tool_or_argument_matches_every_keep_rule() {
        let rules = RestoreRules::from(vec![
            rule("edit", "*", &Origin::ALL, RestoreAction::Allow),
            rule("fetch", "url", &Origin::ALL, RestoreAction::Keep),
        ]);
        assert!(rules.withheld(None, None).hold(Origin::User));
        assert!(rules.withheld(Some("fetch"), None).hold(Origin::User));
        assert!(rules.withheld(Some("edit"), None).is_empty());
        let any = rule("*", "*", &Origin::ALL, RestoreAction::Allow);
        assert!(
            RestoreRules::from(vec![any])
                .withheld(None, None)
                .is_empty()
        );
    }
}
