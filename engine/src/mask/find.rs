//! The first pass over the texts of a request: finds values and assigns tokens.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::LazyLock;

use super::assign::TokenAssignment;
use super::leaves::Leaves;
use super::literals::{self, LookAlikes};
use super::loud::LoudLeaves;
use super::parts::Parts;
use super::quiet::{self, Heard, QuietLeaves, Remembered};
use super::searched::{KnownText, KnownValues};
use super::walk::TextNumber;
use super::{TakesBack, Texts, surrogates};
use crate::history::SignedBlock;
use crate::json::{Edit, Nesting, Value};
use crate::mask::findings::{self, Holds, TextKind};
use crate::policy::{Policy, Verdict};
use crate::schema::{RequestLeaf, Speaker, Speakers};
use crate::{
    Detection, EntityType, Findings, Operator, Origin, Schema, Session, Settings, detect, token,
};

/// Finds the values in the texts of one request, one text after the other, in prompt order.
///
/// It numbers them as they come. What a later text reveals of an earlier one is masked in the second
/// pass, under numbers that are given by then: so a longer history never renumbers what came before
/// (decisions, 2.3).
pub(crate) struct Finding<'a> {
    pub(super) settings: &'a Settings,
    pub(super) mask_rules: MaskRules<'a>,
    /// What was found in texts before, where that is remembered.
    pub(super) findings: Option<&'a dyn Findings>,
    pub(super) values: Values<'a>,
    /// The host's findings, which are used in addition.
    pub(super) host: Option<&'a Leaves>,
    /// A text came that the host was not offered.
    pub(super) is_unseen: bool,
    /// The most values that the session may hold.
    pub(super) most_values: usize,
    /// The mappings whose tokens the masked request contains, if requested.
    pub(super) own: Option<Session>,
    pub(super) found: Found,
    pub(super) written: Written<'a>,
    pub(super) assignment: TokenAssignment<'a>,
    /// Whether known values in their own spelling are searched too, with what belongs to them beside.
    pub(super) joins: bool,
    pub(super) quiet: QuietLeaves,
    /// Nothing unless loud leaves may be skipped.
    skipping: Option<Skipping<'a>>,
    pub(super) loud: LoudLeaves,
    /// What the leaf holds that is read.
    heard: Option<Heard>,
    pooled: Vec<Detection>,
    /// What else the last text holds.
    holds: Holds,
    /// What is remembered of it.
    known: Option<KnownText>,
}

impl<'a> Finding<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        mask_rules: MaskRules<'a>,
        findings: Option<&'a dyn Findings>,
        session: &'a mut Session,
        host: Option<&'a Leaves>,
    ) -> Self {
        let values = Values::new(mask_rules.operator, session);
        Self::on(settings, mask_rules, findings, values, host)
    }

    pub(super) fn on(
        settings: &'a Settings,
        mask_rules: MaskRules<'a>,
        findings: Option<&'a dyn Findings>,
        values: Values<'a>,
        host: Option<&'a Leaves>,
    ) -> Self {
        Self {
            settings,
            mask_rules,
            findings,
            values,
            host,
            is_unseen: false,
            most_values: usize::MAX,
            own: None,
            found: Found::default(),
            written: Written::default(),
            assignment: TokenAssignment::new(mask_rules.operator),
            joins: false,
            quiet: QuietLeaves::default(),
            skipping: None,
            loud: LoudLeaves::default(),
            heard: None,
            pooled: Vec::new(),
            holds: Holds::default(),
            known: None,
        }
    }

    /// Adds the parts of the request outside the texts.
    pub(crate) fn read(&mut self, text: &str) {
        self.assignment.read(text);
    }

    /// Takes where the texts stand in the body that are looked at. What stands between them is sent as it is: a model
    /// may repeat a surrogate or a token from there, which must mean no value.
    pub(crate) fn hear_between(&mut self, body: &str, texts: impl Iterator<Item = Range<usize>>) {
        let session = self.values.issued();
        let may_hold_tokens = token::may_hold_core(body.as_bytes());
        if !(may_hold_tokens || session.has_surrogates()) {
            return;
        }
        let gaps = between(body, texts);
        if may_hold_tokens {
            literals::reserve_between(session, body, &gaps);
        }
        if session.has_surrogates() {
            surrogates::retire_between(session, body, &gaps);
        }
    }

    /// Tells values of the user from others, by the body in which they stand.
    pub(crate) fn in_body(mut self, root: Option<Value<'a>>, schema: Schema) -> Self {
        self.written.root = root;
        self.written.is_generic = schema == Schema::Generic;
        self
    }

    /// Refuses the request once the session holds more values.
    pub(crate) fn hold_at_most(&mut self, values: usize) {
        self.most_values = values;
    }

    /// Whether the session holds too many values.
    pub(super) fn is_full(&mut self) -> bool {
        self.values.issued().len() > self.most_values
    }

    /// Collects the mappings whose tokens the masked request contains.
    pub(crate) fn keep_own(&mut self) {
        self.own = Some(Session::new());
    }

    /// The values that texts are searched for.
    pub(super) fn sought(&mut self) -> Option<KnownValues<'a>> {
        let (findings, session) = (self.findings?, self.values.issued());
        Some(KnownValues::new(findings, self.mask_rules, session))
    }

    /// Gives the values of all texts what stands for them.
    pub(super) fn give(&mut self) {
        self.assignment.finish(self.values.issued());
    }

    /// From now on, loud leaves are not read if it is known what becomes of them under tools that declare these names.
    pub(super) fn skip_loud_leaves(&mut self, declared: &[Cow<'_, str>]) {
        let mask_rules = self.mask_rules;
        let follows_from_values = mask_rules.operator.restores() && !mask_rules.verdict.has_rules();
        let Some(findings) = self.findings_of_leaves().filter(|_| follows_from_values) else {
            return;
        };
        let session = self.values.issued();
        let before = (!session.is_empty()).then(|| {
            session.learn();
            KnownValues::new(findings, mask_rules, session)
        });
        let declared = match declared {
            [] => 0,
            names => findings.digest(&names.join("\n"), None, TextKind::Plain),
        };
        self.skipping = Some(Skipping { before, declared });
    }

    /// What stands for the names that tools declare, where loud leaves may be skipped.
    pub(super) fn declared(&self) -> u128 {
        let skipping = self.skipping.as_ref();
        skipping.map_or(0, |skipping| skipping.declared)
    }

    /// Whether it is known what becomes of a loud leaf.
    fn skips(&mut self, known: &KnownText, leaf: RequestLeaf<'_>) -> bool {
        let Some(Skipping { before, declared }) = &mut self.skipping else {
            return false;
        };
        let (number, written) = (self.found.next().part(), &self.written);
        let origin = || written.origin();
        let values = (&*self.values.issued(), before.as_mut());
        self.loud
            .pass(number, (known, leaf), values, origin, *declared)
    }

    /// The cache, where leaves need not be read that are remembered in it: nothing but detections, and what looks like a
    /// token, is looked for in their texts.
    fn findings_of_leaves(&mut self) -> Option<&'a dyn Findings> {
        let operator = self.mask_rules.operator;
        let is_enough = self.host.is_none()
            && operator.id_key().is_none()
            && operator.surrogates().is_none()
            && !self.values.issued().has_surrogates();
        self.findings.filter(|_| is_enough)
    }

    /// What gives itself away in a plain text, in order.
    pub(super) fn detect(&mut self, text: &str, name: Option<&str>) -> Vec<Detection> {
        let settings = self.settings;
        let pooled = &mut self.pooled;
        (self.holds, self.known) =
            findings::detect(&settings.detectors, self.findings, text, name, pooled);
        if let Some(heard) = &mut self.heard {
            heard.add(&self.holds, !pooled.is_empty());
        }
        if let Some(host) = self.host {
            self.is_unseen |= !host.add_to(text, name, &settings.detectors, pooled);
        }
        let (mask_rules, written) = (self.mask_rules, &self.written);
        pooled.retain(|detection| mask_rules.masks(&detection.entity, written));
        let operator = mask_rules.operator;
        let may_be_any = self.holds.cores || operator.id_key().is_some();
        let look_alikes = may_be_any.then(|| LookAlikes::of(operator, text));
        let look_alikes = look_alikes.flatten();
        if let Some(look_alikes) = &look_alikes {
            look_alikes.find(0..text.len(), pooled);
        }
        if pooled.is_empty() {
            return Vec::new();
        }
        let mut found = detect::merge(std::mem::take(pooled));
        if let Some(look_alikes) = look_alikes {
            // Words next to a value, which look like a token once it is masked.
            add_between(text, &mut found, |gap, more| look_alikes.find(gap, more));
        }
        found
    }
}

impl Texts for Finding<'_> {
    fn enter(&mut self, part: u32, leaf: Option<usize>) {
        self.written.enter(leaf);
        self.found.enter(part);
    }

    fn pass(&mut self, leaf: RequestLeaf<'_>, _: &mut Vec<Edit>) -> bool {
        let findings = self.findings_of_leaves();
        match findings.and_then(|findings| quiet::remembered(findings, leaf)) {
            Some(Remembered::Quiet(known)) => {
                self.quiet.push(self.found.next().part(), known);
                true
            }
            Some(Remembered::Loud(known)) => {
                let is_skipped = self.skips(&known, leaf);
                self.heard = (!is_skipped).then(|| Heard::again(known));
                is_skipped
            }
            Some(Remembered::Nothing(heard)) => {
                self.heard = Some(heard);
                false
            }
            None => false,
        }
    }

    fn leave(&mut self, leaf: RequestLeaf<'_>, _: &[Edit]) {
        let heard = self.heard.take();
        let number = self.found.next().part();
        match heard.and_then(|heard| heard.keep(self.findings?, leaf)) {
            Some(quiet::Leaf::Quiet(known)) => self.quiet.push(number, known),
            Some(quiet::Leaf::Loud(known)) if self.skipping.is_some() => {
                self.loud.push(number, known);
            }
            _ => {}
        }
    }

    fn pass_declared(&mut self, name: &str) {
        // Another request with the same leaf may declare it no more.
        if let Some(heard) = &mut self.heard {
            let pooled = &mut self.pooled;
            let detectors = &self.settings.detectors;
            let (holds, _) = findings::detect(detectors, self.findings, name, None, pooled);
            heard.add(&holds, !pooled.is_empty());
            pooled.clear();
        }
    }

    fn plain(&mut self, text: &str, name: Option<&str>, nesting: Nesting) -> Vec<Edit> {
        if self.is_full() {
            return Vec::new();
        }
        let found = self.detect(text, name);
        self.read(text);
        let mut parts = Parts::of(text, nesting);
        for detection in &found {
            let origin = self.written.origin();
            parts.for_each(detection.start..detection.end, |_, decoded| {
                let (session, text) = (self.values.issued(), self.found.next());
                self.assignment
                    .add(session, text, &detection.entity, decoded, origin);
            });
        }
        if !self.holds.readings {
            self.found.reads_next_as_it_is();
        }
        self.found.remember_next(self.known.take());
        self.found.push(found);
        Vec::new()
    }

    fn left(&mut self, text: &str) -> Vec<Edit> {
        self.read(text);
        self.found.push(Vec::new());
        Vec::new()
    }

    fn may_hold_files(&self) -> bool {
        self.holds.files
    }
}

impl TakesBack for Finding<'_> {
    fn takes_back(&mut self, block: &SignedBlock) -> bool {
        let mappings = block.mappings();
        if !self.values.issued().adopt_all(mappings) {
            return false;
        }
        self.own.as_mut().is_none_or(|own| own.adopt_all(mappings))
    }
}

/// With what loud leaves are skipped.
struct Skipping<'a> {
    /// The values of the session before the request, if there are any.
    before: Option<KnownValues<'a>>,
    /// What stands for the names that tools declare.
    declared: u128,
}

/// What is masked in one request, and what becomes of it.
#[derive(Clone, Copy)]
pub(crate) struct MaskRules<'a> {
    pub(super) policy: &'a Policy,
    pub(super) verdict: &'a Verdict,
    pub(super) operator: &'a Operator,
}

static NO_RULES: LazyLock<Verdict> = LazyLock::new(Verdict::default);

impl<'a> MaskRules<'a> {
    /// By the policy alone.
    pub(crate) fn without_rules(settings: &'a Settings) -> Self {
        Self::new(settings, &NO_RULES)
    }

    /// Everything is masked.
    pub(crate) fn of_all(settings: &'a Settings) -> Self {
        Self {
            policy: &Policy::Default,
            ..Self::without_rules(settings)
        }
    }

    pub(crate) fn new(settings: &'a Settings, verdict: &'a Verdict) -> Self {
        let operator = if verdict.redacts() {
            &Operator::Redact
        } else {
            &settings.operator
        };
        Self {
            policy: &settings.policy,
            verdict,
            operator,
        }
    }

    /// Whether a detection of this type is masked in the text that is read.
    fn masks(&self, entity: &EntityType, written: &Written<'_>) -> bool {
        self.verdict
            .masks(self.policy, entity, || written.speaker())
    }

    /// Whether a value that the session knows is masked at a place in a text. The content of a vault may have been
    /// masked under another configuration.
    pub(super) fn admits_known(
        &self,
        settings: &Settings,
        text: &str,
        detection: &Detection,
    ) -> bool {
        self.masks_known(&detection.entity) && settings.detectors.admits(text, detection)
    }

    /// Whether a value that the session knows is masked, which under rules each one is: a rule that is lax about one
    /// text must not show what another text keeps.
    pub(super) fn masks_known(&self, entity: &EntityType) -> bool {
        self.verdict.has_rules() || self.policy.masks(entity)
    }

    /// Whether known values of all types are masked. Otherwise it is as the settings say.
    pub(super) fn masks_all_known(&self) -> bool {
        self.verdict.has_rules() || matches!(self.policy, Policy::Default)
    }
}

/// The author of the current text. Determined only if it contains a value.
#[derive(Default)]
pub(super) struct Written<'a> {
    root: Option<Value<'a>>,
    is_generic: bool,
    speakers: OnceCell<Speakers<'a>>,
    /// The leaf that is read.
    leaf: Option<usize>,
}

impl<'a> Written<'a> {
    pub(super) fn enter(&mut self, leaf: Option<usize>) {
        self.leaf = leaf;
    }

    pub(super) fn origin(&self) -> Origin {
        let (Some(root), Some(leaf)) = (self.root, self.leaf) else {
            return Origin::User;
        };
        self.speakers(root).origin(leaf, self.is_generic)
    }

    fn speaker(&self) -> &Speaker {
        let (Some(root), Some(leaf)) = (self.root, self.leaf) else {
            return &Speaker::Unknown;
        };
        self.speakers(root).of_text(leaf)
    }

    fn speakers(&self, root: Value<'a>) -> &Speakers<'a> {
        self.speakers.get_or_init(|| Speakers::of(root))
    }
}

/// Where a request's values are issued.
pub(super) enum Values<'a> {
    Kept(&'a mut Session),
    /// Under `redact` no value is kept.
    Unkept(Session),
}

impl<'a> Values<'a> {
    fn new(operator: &Operator, session: &'a mut Session) -> Self {
        if operator.restores() {
            Self::Kept(session)
        } else {
            Self::Unkept(session.clone())
        }
    }

    pub(super) fn issued(&mut self) -> &mut Session {
        match self {
            Self::Kept(session) => session,
            Self::Unkept(session) => session,
        }
    }
}

/// What was found, text by text.
#[derive(Default)]
pub(super) struct Found {
    /// The number of the next text.
    next: TextNumber,
    /// The texts with a value.
    by_text: VecDeque<(TextNumber, Vec<Detection>)>,
    /// The texts with no [reading](detect::each_reading) but the text itself.
    plain: VecDeque<TextNumber>,
    /// What is remembered of texts.
    known: VecDeque<(TextNumber, KnownText)>,
}

/// What is remembered of further texts of a request is looked up again.
const MOST_KNOWN: usize = 1 << 14;

impl Found {
    /// The next text is the first of a part of the prompt.
    pub(super) fn enter(&mut self, part: u32) {
        self.next = TextNumber::first_of(part);
    }

    /// The number of the next text.
    pub(super) fn next(&self) -> TextNumber {
        self.next
    }

    pub(super) fn push(&mut self, found: Vec<Detection>) {
        let text = self.next.take();
        if !found.is_empty() {
            self.by_text.push_back((text, found));
        }
    }

    /// Notes that the next text has no reading but the text itself.
    fn reads_next_as_it_is(&mut self) {
        self.plain.push_back(self.next);
    }

    /// Whether the next text is known to have no reading but the text itself.
    pub(super) fn is_next_plain(&mut self) -> bool {
        let text = self.next;
        while self.plain.pop_front_if(|plain| *plain < text).is_some() {}
        self.plain.pop_front_if(|plain| *plain == text).is_some()
    }

    /// Notes what is remembered of the next text.
    pub(super) fn remember_next(&mut self, known: Option<KnownText>) {
        let known = known.filter(|_| self.known.len() < MOST_KNOWN);
        self.known.extend(known.map(|known| (self.next, known)));
    }

    /// What is remembered of the next text.
    pub(super) fn take_known(&mut self) -> Option<KnownText> {
        let text = self.next;
        while self.known.pop_front_if(|(of, _)| *of < text).is_some() {}
        let known = self.known.pop_front_if(|(of, _)| *of == text);
        known.map(|(_, known)| known)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    /// What was found in the next text.
    pub(super) fn take(&mut self) -> Vec<Detection> {
        let text = self.next.take();
        let next = self.by_text.pop_front_if(|(of, _)| *of == text);
        next.map(|(_, found)| found).unwrap_or_default()
    }
}

/// The parts of a body between texts.
fn between(body: &str, texts: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable_by_key(|text| text.start);
    let mut from = 0;
    let mut gaps = Vec::with_capacity(texts.len() + 1);
    for text in texts {
        gaps.push(from..text.start.max(from));
        from = from.max(text.end);
    }
    gaps.push(from..body.len());
    gaps
}

/// What was found in a text together with known values.
pub(super) fn joined(
    text: &str,
    operator: &Operator,
    mut found: Vec<Detection>,
    mut known: Vec<Detection>,
) -> Vec<Detection> {
    // What gave itself away may be a part of a value.
    found.append(&mut known);
    let mut found = detect::merge(found);
    if let Some(look_alikes) = LookAlikes::of(operator, text) {
        // Words next to a value, which look like a token once it is masked.
        add_between(text, &mut found, |gap, more| look_alikes.find(gap, more));
    }
    found
}

/// Adds what `find` finds between the detections, and keeps their order.
pub(super) fn add_between(
    text: &str,
    found: &mut Vec<Detection>,
    mut find: impl FnMut(Range<usize>, &mut Vec<Detection>),
) {
    let mut more = Vec::new();
    let mut start = 0;
    for detection in found.iter() {
        find(start..detection.start, &mut more);
        start = detection.end;
    }
    find(start..text.len(), &mut more);
    if !more.is_empty() {
        found.append(&mut more);
        found.sort_by_key(|detection| detection.start);
    }
}
