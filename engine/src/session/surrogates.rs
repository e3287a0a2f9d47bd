//! The surrogates of a session: which value has which, and what a text may mean by them.

use std::ops::Range;
use std::sync::Arc;

use super::Session;
use super::forms::Forms;
use super::issued::Issued;
use crate::detect::names;
use crate::operator::surrogate::{
    self, ATTEMPTS, GroupedNumber, LONGEST, MOST, NameLanguage, Piece, SHORTEST, Shape, Surrogates,
    pieces, standard, stands_apart,
};
use crate::token::Mapping;
use crate::token::{self, MOST_EMPHASIS};
use crate::{EntityType, Origin, Sensitive};

/// A surrogate in a text.
#[derive(Debug)]
pub(crate) struct PlacedSurrogate {
    pub(crate) range: Range<usize>,
    pub(crate) mapping: Arc<Mapping>,
    pub(crate) shape: Shape,
}

/// What is sent instead of a value, and the mappings that bring it back.
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) mappings: Vec<Arc<Mapping>>,
}

impl Mapping {
    /// Whether it is a part of a person's name.
    pub(crate) fn is_name(&self) -> bool {
        *self.entity() == EntityType::PERSON && self.surrogate().is_some()
    }
}

impl Session {
    pub(crate) fn has_surrogates(&self) -> bool {
        self.0.forms().next().is_some()
    }

    /// Gives a value a free surrogate, unless it has one or a token; `false` if none is available.
    ///
    /// `is_said` tells whether all words of a text are in the request.
    pub(crate) fn give_surrogate(
        &mut self,
        surrogates: &Surrogates,
        entity: &EntityType,
        value: &str,
        origin: Origin,
        is_in_text: &dyn Fn(&str) -> bool,
    ) -> bool {
        if self.0.by_value(value).is_some() {
            return true;
        }
        let forms: usize = self.0.forms().map(Forms::len).sum();
        // Nobody knows what unknown history means by a surrogate.
        if self.is_derived() || !surrogates.cover(entity) || forms >= MOST {
            return false;
        }
        if !surrogate::is_plain(value) {
            return false;
        }
        if *entity == EntityType::PERSON {
            return self
                .give_name(surrogates, value, origin, is_in_text)
                .is_some();
        }
        let ungrouped = surrogate::ungrouped(entity, value);
        // However it is grouped, a number has the same digits.
        let mut draw = surrogates.draw(entity, ungrouped.as_deref().unwrap_or(value));
        let drawn = (0..ATTEMPTS).find_map(|attempt| {
            let drawn = surrogate::drawn(&mut draw, entity, value, attempt)?;
            self.may_mean(&drawn, is_in_text).then_some(drawn)
        });
        let Some(drawn) = drawn else {
            return false;
        };
        if !self.keep(entity, value, &drawn, origin) {
            return false;
        }
        let other = surrogate::ungrouped(entity, &drawn);
        if let (Some(value), Some(drawn)) = (ungrouped, other)
            && self.may_mean(&drawn, is_in_text)
        {
            self.keep(entity, &value, &drawn, origin);
        }
        true
    }

    /// The mapping of a number without what groups it, in addition to its own.
    fn ungrouped(&self, entity: &EntityType, value: &str) -> Option<Arc<Mapping>> {
        let ungrouped = surrogate::ungrouped(entity, value)?;
        let mapping = self.0.by_value(&ungrouped)?;
        (ungrouped != value && mapping.surrogate().is_some()).then(|| Arc::clone(mapping))
    }

    fn give_name(
        &mut self,
        surrogates: &Surrogates,
        name: &str,
        origin: Origin,
        is_in_text: &dyn Fn(&str) -> bool,
    ) -> Option<()> {
        let pieces = pieces(name)?;
        let parts: Vec<_> = pieces.iter().filter_map(Piece::name).collect();
        let tongue = NameLanguage::of_name(&parts);
        let is_reversed = name.contains(',');
        for (index, part) in parts.iter().enumerate() {
            if self.part_of_name(part).is_some() {
                continue;
            }
            let last = if is_reversed { 0 } else { parts.len() - 1 };
            let standard = standard(part);
            let role = tongue.role(&standard.to_lowercase(), index == last, parts.len() == 1);
            let mut draw = surrogates.draw(&EntityType::PERSON, &standard.to_lowercase());
            let initial = standard.chars().next();
            let drawn = (0..ATTEMPTS).find_map(|attempt| {
                let drawn = tongue.drawn(&mut draw, role, initial, attempt)?;
                let is_free = self.may_mean_name(&drawn, is_in_text);
                is_free.then_some(drawn)
            })?;
            if self.0.by_value(&standard).is_some()
                || !self.keep(&EntityType::PERSON, &standard, &drawn, origin)
            {
                return None;
            }
        }
        let written = self.name_written(&pieces)?;
        let is_kept =
            parts.len() == 1 || self.keep(&EntityType::PERSON, name, &written.text, origin);
        is_kept.then_some(())
    }

    /// Whether a surrogate can stand for a value: it means nothing else in the request or in this session, cut off or not.
    fn may_mean(&self, surrogate: &str, is_in_text: &dyn Fn(&str) -> bool) -> bool {
        let form = surrogate.to_ascii_lowercase();
        let is_apart = |forms: &Forms| !forms.begins(&form) && !forms.holds_beginning_of(&form);
        self.0.forms().all(is_apart)
            && self.0.by_value(surrogate).is_none()
            && !is_in_text(surrogate)
    }

    /// The same for a name, which may also be in capitals, in lower case and in the genitive, and
    /// must not be a word.
    fn may_mean_name(&self, name: &str, is_in_text: &dyn Fn(&str) -> bool) -> bool {
        self.may_mean(name, is_in_text)
            && self.0.by_value(&name.to_uppercase()).is_none()
            && self.0.by_value(&name.to_lowercase()).is_none()
            && !is_in_text(&format!("{name}s"))
            && !names::is_word_or_place(name)
    }

    /// Lets a surrogate stand for a value: false when it has another meaning already.
    fn keep(&mut self, entity: &EntityType, value: &str, surrogate: &str, origin: Origin) -> bool {
        let id = format!("{}{surrogate}", token::SURROGATE);
        if !self.0.is_free(&id) || self.0.by_value(value).is_some() {
            return false;
        }
        let value = Sensitive::new(value.to_owned());
        let mapping = Arc::new(Mapping::new(entity.clone(), &id, value).with_origin(origin));
        Issued::to_change(&mut self.0).insert(mapping);
        true
    }

    /// Lets those surrogates stand for nothing any more that a text says from `from` on. Where nothing is masked they
    /// are the user's own words, and what is sent instead of their values from then on is a token.
    pub(crate) fn retire_surrogates(&mut self, text: &str, from: usize) {
        let mut written = Vec::new();
        self.find_surrogates(text, from, true, &mut written);
        for PlacedSurrogate { mapping, .. } in written {
            Issued::to_change(&mut self.0).lose(mapping.core().to_owned());
        }
    }

    /// Whether a surrogate stands for nothing any more.
    pub(crate) fn is_retired(&self, mapping: &Mapping) -> bool {
        self.0.is_lost(mapping.core())
    }

    /// Notes where a value came from that has a surrogate, or whose parts have some.
    pub(crate) fn bring(&mut self, entity: &EntityType, value: &str, origin: Origin) {
        let mut brought: Vec<_> = self.0.by_value(value).map(Arc::clone).into_iter().collect();
        brought.extend(self.ungrouped(entity, value));
        if *entity == EntityType::PERSON {
            let pieces = pieces(value).unwrap_or_default();
            let parts = pieces.iter().filter_map(Piece::name);
            brought.extend(parts.filter_map(|part| Some(self.part_of_name(part)?.0)));
        }
        for mapping in brought {
            self.brought(mapping, origin);
        }
    }

    /// What is sent instead of a value that has a surrogate.
    pub(crate) fn surrogate_of(&self, entity: &EntityType, value: &str) -> Option<Written> {
        let known = self.0.by_value(value);
        if known.is_some_and(|known| !known.is_name())
            || known.is_none() && *entity != EntityType::PERSON
        {
            let known = known.filter(|known| known.surrogate().is_some())?;
            let ungrouped = self.ungrouped(known.entity(), value);
            return Some(Written {
                text: known.written(),
                mappings: ungrouped.into_iter().chain([Arc::clone(known)]).collect(),
            });
        }
        let mut written = self.name_written(&pieces(value)?)?;
        written.mappings.extend(known.cloned());
        Some(written)
    }

    /// A name with its parts replaced, where each of them has a surrogate.
    fn name_written(&self, pieces: &[Piece<'_>]) -> Option<Written> {
        let mut written = Written {
            text: String::new(),
            mappings: Vec::new(),
        };
        for piece in pieces {
            let name = match piece {
                Piece::Kept(text) => {
                    written.text.push_str(text);
                    continue;
                }
                Piece::Name(name) => name,
            };
            let (mapping, stem) = self.part_of_name(name)?;
            let (stem, rest) = name.split_at_checked(stem)?;
            let surrogate = mapping.surrogate()?;
            written.text.push_str(&Shape::of(stem).apply(surrogate));
            written.text.push_str(rest);
            written.mappings.push(mapping);
        }
        (written.text.len() <= 8 * LONGEST).then_some(written)
    }

    /// The mapping of a part of a name in any shape, and how much of the word that is: all, or all but the `s` of the genitive.
    pub(crate) fn part_of_name(&self, word: &str) -> Option<(Arc<Mapping>, usize)> {
        if let Some(mapping) = self.part(word) {
            return Some((mapping, word.len()));
        }
        let stem = word.strip_suffix(['s', 'S'])?;
        let mapping = self.part(stem)?;
        Some((mapping, stem.len()))
    }

    fn part(&self, word: &str) -> Option<Arc<Mapping>> {
        let mapping = self.0.by_value(&standard(word))?;
        mapping.is_name().then(|| Arc::clone(mapping))
    }

    /// Appends the surrogates in a text from `from` on, ordered and without overlaps. Returns the
    /// position where one may begin that the text's end cuts, unless it has `ended`; otherwise the
    /// text's length.
    pub(crate) fn find_surrogates(
        &self,
        text: &str,
        from: usize,
        ended: bool,
        found: &mut Vec<PlacedSurrogate>,
    ) -> usize {
        let mut at = from;
        while let Some(start) = next_start(text, at) {
            let rest = text.get(start..).unwrap_or_default();
            let number = self.number_at(rest);
            let may_begin =
                number.is_some() || self.0.forms().any(|forms| forms.may_begin(rest.as_bytes()));
            if !may_begin && (ended || rest.len() >= SHORTEST) {
                at = word_end(text, start);
                continue;
            }
            let near = rest.floor_char_boundary(LONGEST + MOST_EMPHASIS + 2);
            let lower = rest.get(..near).unwrap_or_default().to_ascii_lowercase();
            if !ended && near == rest.len() && self.may_go_on(&lower) {
                return start;
            }
            let goes_on = |number: &GroupedNumber| {
                number.is_open
                    && self
                        .0
                        .forms()
                        .any(|forms| forms.begin_number(&number.signs))
            };
            if !ended && number.as_ref().is_some_and(goes_on) {
                return start;
            }
            let standing = self.standing_at(text, start, &lower);
            match standing.or_else(|| self.regrouped_at(text, start, number.as_ref()?)) {
                Some(standing) => {
                    at = standing.range.end;
                    found.push(standing);
                }
                None => at = word_end(text, start),
            }
        }
        text.len()
    }

    /// The longest surrogate that begins at a place.
    fn standing_at(&self, text: &str, start: usize, lower: &str) -> Option<PlacedSurrogate> {
        let shape = |mapping: &Mapping| {
            if self.is_retired(mapping) {
                return None;
            }
            let range = start..start + mapping.surrogate()?.len();
            let written = text.get(range.clone())?;
            let shape = if mapping.surrogate() == Some(written) {
                Shape::Own
            } else if mapping.is_name() && Shape::of(written) != Shape::Own {
                Shape::of(written)
            } else if *mapping.entity() == EntityType::EMAIL {
                // No mail server tells capitals from small letters.
                Shape::Own
            } else {
                return None;
            };
            stands_apart(text, &range, mapping.is_name()).then_some((range, shape))
        };
        let fits = |mapping: &Mapping| shape(mapping).is_some();
        let of_layers = self
            .0
            .forms()
            .filter_map(|forms| forms.longest(lower, &fits));
        let mapping = of_layers.max_by_key(|mapping| mapping.core().len())?;
        let (range, shape) = shape(mapping)?;
        // A layer above may know another origin of it.
        let mapping = self.0.by_core(mapping.core()).unwrap_or(mapping);
        Some(PlacedSurrogate {
            range,
            mapping: Arc::clone(mapping),
            shape,
        })
    }

    /// The number that a text begins with, if a surrogate begins like it.
    fn number_at(&self, text: &str) -> Option<GroupedNumber> {
        let first = text.get(..1)?.to_ascii_lowercase();
        let begins = |start: &str| self.0.forms().any(|forms| forms.begin_number(start));
        if first != "(" && !begins(&first) {
            return None;
        }
        let number = GroupedNumber::of(text);
        begins(number.signs.get(..SHORTEST).unwrap_or(&number.signs)).then_some(number)
    }

    /// The longest surrogate at a place that is a number, in other groups than it was sent.
    fn regrouped_at(
        &self,
        text: &str,
        start: usize,
        number: &GroupedNumber,
    ) -> Option<PlacedSurrogate> {
        let fits = |mapping: &Mapping, end: usize| {
            let range = start..start + end;
            let written = text.get(range.clone()).unwrap_or_default();
            let count = |sign| written.bytes().filter(|byte| *byte == sign).count();
            !self.is_retired(mapping)
                && count(b'(') == count(b')')
                && stands_apart(text, &range, false)
        };
        let of_layers = self.0.forms();
        let of_layers = of_layers.filter_map(|forms| forms.longest_number(number, &fits));
        let (end, mapping) = of_layers.max_by_key(|(end, _)| *end)?;
        let mapping = self.0.by_core(mapping.core()).unwrap_or(mapping);
        Some(PlacedSurrogate {
            range: start..start + end,
            mapping: Arc::clone(mapping),
            shape: Shape::Own,
        })
    }

    /// Whether a text may continue so that it begins another surrogate, or none.
    fn may_go_on(&self, lower: &str) -> bool {
        let genitive = lower.strip_suffix('s').unwrap_or(lower);
        let other = without_emphasis(lower.strip_suffix(['.', '-']).unwrap_or(lower));
        self.0.forms().any(|forms| {
            let is_name = |mapping: &Arc<Mapping>| mapping.is_name();
            forms.begins(lower)
                || [lower, genitive]
                    .iter()
                    .any(|name| forms.get(name).is_some_and(is_name))
                || forms.get(other).is_some_and(|mapping| !is_name(mapping))
        })
    }
}

/// The next place from `at` on where a surrogate may begin.
fn next_start(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.as_bytes().get(at..)?;
        let begins = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'(');
        let start = at + rest.iter().position(begins)?;
        let before = text.get(..start)?;
        let is_part = before.chars().next_back().is_some_and(surrogate::is_part);
        if !is_part
            || begins_digits(
                before.bytes().next_back(),
                text.as_bytes().get(start).copied(),
            )
        {
            return Some(start);
        }
        at = word_end(text, start);
    }
}

fn without_emphasis(text: &str) -> &str {
    let end = text.trim_end_matches('_').len();
    let end = end.max(text.len().saturating_sub(MOST_EMPHASIS));
    text.get(..end).unwrap_or_default()
}

/// Where the word ends that begins here, or digits begin in it, at least one byte on.
fn word_end(text: &str, start: usize) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let goes_on = |[one, next]: &&[u8; 2]| {
        let is_word = one.is_ascii_alphanumeric() && next.is_ascii_alphanumeric();
        is_word && !begins_digits(Some(*one), Some(*next))
    };
    start + 1 + rest.array_windows().take_while(goes_on).count()
}

/// Whether digits begin between two bytes: letters do not continue a number.
fn begins_digits(before: Option<u8>, next: Option<u8>) -> bool {
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    is_digit(next) && !is_digit(before)
}
