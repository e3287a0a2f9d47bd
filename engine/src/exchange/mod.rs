//! The entry point: what every host calls for a request and its reply.

mod ask;
mod masked;
mod multipart;
mod reply;
mod rules;
mod shadow;
mod target;
mod transcode;

use std::sync::Arc;

use crate::history::Recall;
use crate::history::shared;
use crate::json::{Context, Edit, Nesting, ScanError, Tape, Value, splice, spliced};
use crate::mask::{Collecting, Finding, Leaves, Located, MaskRules, Prompt, ReadAhead, Texts};
use crate::policy::Verdict;
use crate::restore::{Reply, Tokens};
use crate::route::{HeaderHistory, HistoryReference, PathHistory, Query, is_file};
use crate::schema::encoded::{PDF, is_any_text};
use crate::schema::{self, Form, RequestMap};
use crate::{
    Conversation, Detection, EntityType, Error, Findings, History, Schema, Sensitive, Session,
    Settings, detect, token,
};

use multipart::Multipart;

pub use masked::{Masked, MaskedBody};
pub use reply::{RestoreSummary, Restorer, Restoring};
pub use rules::{Decision, Fate};

/// Which tokens the reply to a request may bring back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Every one that the session issued.
    #[default]
    Session,
    /// Only those in the masked request itself: for sessions with a guessed identity, so that two
    /// callers who share one by chance can't read each other's values (decisions, 3.4).
    OwnTokens,
}

/// The compiled configuration, cheap to clone and shared by every exchange.
#[derive(Debug, Clone)]
pub struct Engine {
    settings: Arc<Settings>,
    findings: Option<Arc<dyn Findings>>,
}

impl Engine {
    /// An engine that works as configured.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings: Arc::new(settings),
            findings: None,
        }
    }

    /// The same engine, which remembers what it found in the texts of requests.
    #[must_use]
    pub fn remembering(mut self, findings: Arc<dyn Findings>) -> Self {
        self.findings = Some(findings);
        self
    }

    /// The configuration.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What would be masked in a text: every detection that the policy lets through, merged, in order.
    #[must_use]
    pub fn detect(&self, text: &str) -> Vec<Detection> {
        let mut found = Vec::new();
        self.settings.detectors.detect(text, None, &mut found);
        found.retain(|detection| self.settings.policy.masks(&detection.entity));
        detect::merge(found)
    }

    /// What was judged by its name in a text, with the reasons: what is masked, and near misses.
    #[must_use]
    pub fn explain(&self, text: &str) -> Vec<detect::Judged> {
        self.settings.detectors.explain(text)
    }

    /// What is detected in a text, whether or not the policy masks it, merged, in order.
    #[must_use]
    pub fn detect_all(&self, text: &str) -> Vec<Detection> {
        let mut found = Vec::new();
        self.settings.detectors.detect(text, None, &mut found);
        detect::merge(found)
    }

    /// Masks a text on its own, as `detect --transform` shows it; as a whole if it can't be read to its end.
    #[must_use]
    pub fn mask_text(&self, text: &str, session: &mut Session) -> String {
        let (edits, masking) = Prompt::of_text(text).mask(self.finding(session, None));
        if masking.finish(None).is_err() {
            return token::redacted(&EntityType::LITERAL);
        }
        edits.spliced_beside(0, text)
    }

    /// What [`mask_text`](Self::mask_text) replaces, each at its place in the text, in order.
    #[must_use]
    pub fn locate_in_text(&self, text: &str) -> Vec<Detection> {
        let located = Prompt::of_text(text).locate(self.finding(&mut Session::new(), None));
        located.beside.into_iter().flatten().collect()
    }

    /// The text as a whole, and the texts in it where it is JSON, for detectors of the host.
    #[must_use]
    pub fn leaves(&self, text: &str) -> Leaves {
        let mut collecting = Collecting::default();
        collecting.plain(text, None, Nesting::new(Context::Plain, 0));
        Prompt::of_text(text).walk(&mut collecting);
        collecting.leaves()
    }

    /// What [`detect`](Self::detect) tells, with what the host found pooled.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when `host` is of another text.
    pub fn detect_with(&self, text: &str, host: &Leaves) -> Result<Vec<Detection>, Error> {
        let Settings {
            detectors, policy, ..
        } = &*self.settings;
        let mut found = Vec::new();
        detectors.detect(text, None, &mut found);
        if !host.add_to(text, None, detectors, &mut found) {
            return Err(Error::ScanFailed);
        }
        found.retain(|detection| policy.masks(&detection.entity));
        Ok(detect::merge(found))
    }

    /// What [`mask_text`](Self::mask_text) makes, with what the host found pooled.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when `host` is of another text.
    pub fn mask_text_with(
        &self,
        text: &str,
        session: &mut Session,
        host: &Leaves,
    ) -> Result<String, Error> {
        let finding = self.finding(session, Some(host));
        let (edits, masking) = Prompt::of_text(text).mask(finding);
        masking.finish(None)?;
        Ok(edits.spliced_beside(0, text))
    }

    /// Reads a request in JSON: finds the strings that may hold values. An empty body is fine.
    ///
    /// # Errors
    /// Any [`Error`] on the client's side: nothing may be forwarded then.
    pub fn request(&self, schema: Schema, body: Vec<u8>) -> Result<Request, Error> {
        let body = String::from_utf8(body).map_err(|_| Error::NotUtf8)?;
        self.read(schema, body, None)
    }

    /// Reads a request whose client states a content type. The body is JSON, whatever that is, unless it is a form of
    /// several parts, or an image and the like, which is left if it is no text.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn request_of_type(
        &self,
        schema: Schema,
        content_type: Option<&str>,
        body: Vec<u8>,
    ) -> Result<Request, Error> {
        let media = content_type.filter(|_| !body.is_empty());
        let (form, body) = match media.and_then(multipart::boundary) {
            Some(boundary) => Multipart::read(body, boundary)?,
            None if schema == Schema::Generic && media.is_some_and(is_file) => {
                let is_utf8 = std::str::from_utf8(&body).is_ok_and(|text| !text.starts_with(PDF));
                if is_utf8 || is_any_text(&body) {
                    return self.request(schema, body);
                }
                Multipart::of_file(body)
            }
            None => return self.request(schema, body),
        };
        self.read(schema, body, Some(Arc::new(form)))
    }

    fn read(
        &self,
        schema: Schema,
        body: String,
        form: Option<Arc<Multipart>>,
    ) -> Result<Request, Error> {
        let tape = if body.is_empty() {
            None
        } else {
            Some(self.scan(schema, &body)?)
        };
        let schema = tape
            .as_ref()
            .map_or(schema, |tape| schema::of_body(schema, tape.root(&body)));
        let root = tape.as_ref().map(|tape| tape.root(&body));
        let history = root
            .map(|root| schema::history(schema, root))
            .unwrap_or_default();
        let body = Arc::new(body);
        Ok(Request {
            engine: self.clone(),
            schema,
            body,
            form,
            tape,
            metadata_header: None,
            query: Query::default(),
            scope: Scope::default(),
            history,
            is_history_known: false,
            referred: Vec::new(),
            most_values: usize::MAX,
            verdict: Verdict::default(),
        })
    }

    /// For texts that are of no request, and so have no rules.
    fn finding<'a>(&'a self, session: &'a mut Session, host: Option<&'a Leaves>) -> Finding<'a> {
        self.finding_under(MaskRules::without_rules(&self.settings), session, host)
    }

    fn finding_under<'a>(
        &'a self,
        mask_rules: MaskRules<'a>,
        session: &'a mut Session,
        host: Option<&'a Leaves>,
    ) -> Finding<'a> {
        Finding::new(
            &self.settings,
            mask_rules,
            self.findings.as_deref(),
            session,
            host,
        )
    }

    fn scan(&self, schema: Schema, body: &str) -> Result<Tape, Error> {
        let tape = Tape::scan(body, self.settings.limits.depth).map_err(|error| match error {
            ScanError::Syntax { at } => Error::NotJson { at },
            ScanError::TooDeep => Error::TooDeep,
            ScanError::TooLarge => Error::TooLarge,
        })?;
        if schema == Schema::Generic || tape.root(body).is_object() {
            Ok(tape)
        } else {
            Err(Error::NotAnObject)
        }
    }
}

/// A request that was read, and is not masked yet.
pub struct Request {
    engine: Engine,
    schema: Schema,
    body: Arc<String>,
    /// What the body is made of, if it is not what the client sent.
    form: Option<Arc<Multipart>>,
    tape: Option<Tape>,
    metadata_header: Option<String>,
    query: Query,
    scope: Scope,
    history: History,
    is_history_known: bool,
    referred: Vec<Session>,
    most_values: usize,
    verdict: Verdict,
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Request({}, {} bytes)",
            self.schema.as_str(),
            self.body.len()
        )
    }
}

impl Request {
    /// Adds the one request header that is masked, `x-codex-turn-metadata` (formats, R15).
    #[must_use]
    pub fn with_metadata_header(mut self, value: &str) -> Self {
        self.metadata_header = Some(value.to_owned());
        self
    }

    /// Adds the path of the request with its query: their references to history
    /// (`/v1/threads/T/runs`), and the names and values in the query, which are masked except for
    /// credentials.
    #[must_use]
    pub fn with_path(mut self, path: &str) -> Self {
        let history = PathHistory::of(path, self.schema);
        match history.leaning {
            Some(HistoryReference::On(name)) => self.history.add([name]),
            Some(HistoryReference::Using(name)) => {
                self.history.may_hide |= shared::remembers(name);
                self.history.refer([name]);
            }
            // Lists show content of any conversation.
            None => self.history.may_hide |= self.tape.is_none() && !path.is_empty(),
        }
        self.query = Query::of_path(path);
        self.history
            .add(history.parameters.into_iter().chain(self.query.names()));
        self.history.may_hide |= history.may_hide;
        self.history.kept |= history.creates;
        self
    }

    /// Adds what the headers of the request say of history, their names in lower case: `x-session-id`, cookies.
    #[must_use]
    pub fn with_headers<'h>(mut self, headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> Self {
        let history = HeaderHistory::of(headers);
        self.history.add(history.names);
        self.history.may_hide |= history.may_hide;
        self
    }

    /// Adds the headers that identify the host's own session, with `user-agent`: a provider may
    /// keep history under them too.
    #[must_use]
    pub fn with_session_headers<'h>(
        mut self,
        headers: impl Iterator<Item = (&'h str, &'h [u8])>,
    ) -> Self {
        self.history.of_session = !HeaderHistory::of(headers).is_empty();
        self
    }

    /// Whether the whole body is a file, which is forwarded as it is.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.form.as_ref().is_some_and(|form| form.is_file())
    }

    /// The history that the provider holds and the request refers to.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Keeps only those names of [signed thinking](History::shown) that the host knows. Where it does not know one, the
    /// text beside the signature counts as all of the thinking, because a provider rejects thinking with other tokens.
    pub fn keep_known(&mut self, is_known: impl Fn(&crate::HistoryName) -> bool) {
        self.history.keep_known(is_known);
    }

    /// Says whether the session for masking issued the tokens of all the history that the request
    /// refers to.
    pub fn know_history(&mut self, known: bool) {
        self.is_history_known = known;
    }

    /// Adds the sessions of what the request [uses](History::references), and others of its
    /// history. The session adopts their derived tokens, which can't mean anything else.
    pub fn refer(&mut self, sessions: Vec<Session>) {
        self.referred = sessions;
    }

    /// Says how many values the session may hold. Masking stops where there are more.
    #[must_use]
    pub fn with_most_values(mut self, values: usize) -> Self {
        self.most_values = values;
        self
    }

    /// Says which tokens the reply may bring back.
    #[must_use]
    pub fn with_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// The key in the body that a gateway uses for this request: it tells callers apart as one in a header does.
    #[must_use]
    pub fn gateway_key(&self) -> Option<Sensitive<String>> {
        let key = self.root()?.member(schema::GATEWAY_KEY)?;
        let is_filled = key.is_string() && !key.raw_content().is_empty();
        is_filled.then(|| Sensitive::new(key.text().into_owned()))
    }

    /// What the request says about its conversation.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        self.root()
            .map(|root| schema::conversation(self.schema, root))
            .unwrap_or_default()
    }

    /// The plain texts that [`mask`](Self::mask) reads, for external detectors of the host. Add
    /// their findings and pass them to [`mask_with`](Self::mask_with).
    ///
    /// Signed texts that return to the provider unchanged are not included.
    #[must_use]
    pub fn leaves(&self, memory: &dyn Recall) -> Leaves {
        let mut collecting = Collecting::default();
        Prompt::new(self.map(), self.beside(), memory, &mut collecting).walk(&mut collecting);
        collecting.leaves()
    }

    /// Reads a share of the texts into the [cache](Engine::remembering), where masking finds what was read: on another
    /// thread of the host, while it masks. `reader` is from 1 to below `readers`; who masks counts as the first of them.
    /// Stops early when `goes_on` says no. Without a cache it does nothing.
    pub fn read_ahead(
        &self,
        (reader, readers): (usize, usize),
        memory: &dyn Recall,
        goes_on: &dyn Fn() -> bool,
    ) {
        let Some(findings) = self.engine.findings.as_deref() else {
            return;
        };
        let detectors = &self.engine.settings.detectors;
        let mut reading = ReadAhead::new(detectors, findings, (reader, readers), goes_on);
        Prompt::new(self.map(), self.beside(), memory, &mut reading).walk(&mut reading);
    }

    /// Masks the request, adding what it finds to the session.
    ///
    /// Repeatable: after a conflict in the vault, call it again with the session as it is now.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when a detector failed; [`Error::TokenIds`] when the prompt is no text, unless rules let all
    /// of it pass; [`Error::TooManyValues`] when the session would hold more than
    /// [said](Self::with_most_values); [`Error::UnknownHistory`] when the request leans
    /// on [`history`](Self::history), and the session counts and is not said to
    /// [know it](Self::know_history): use a [derived](Session::derived) one.
    pub fn mask(&self, session: &mut Session, memory: &dyn Recall) -> Result<Masked, Error> {
        self.mask_pooled(session, memory, None)
    }

    /// Masks the request with what the host found in its [`leaves`](Self::leaves), pooled with what
    /// the engine finds.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when there is a text that the host was not offered: the leaves are of
    /// another request, or a signed text among them is remembered no more. Those of
    /// [`mask`](Self::mask).
    pub fn mask_with(
        &self,
        session: &mut Session,
        memory: &dyn Recall,
        host: &Leaves,
    ) -> Result<Masked, Error> {
        self.mask_pooled(session, memory, Some(host))
    }

    /// What [`mask`](Self::mask) replaces in the body, each at its place there, in order.
    #[must_use]
    pub fn locate(&self, memory: &dyn Recall) -> Vec<Detection> {
        self.locate_pooled(memory, None)
    }

    /// What [`mask_with`](Self::mask_with) replaces in the body, each at its place there, in order.
    #[must_use]
    pub fn locate_with(&self, memory: &dyn Recall, host: &Leaves) -> Vec<Detection> {
        self.locate_pooled(memory, Some(host))
    }

    fn locate_pooled(&self, memory: &dyn Recall, host: Option<&Leaves>) -> Vec<Detection> {
        let mut session = Session::new();
        let located = self.locate_under(self.mask_rules(), &mut session, memory, host);
        located.body
    }

    fn locate_under<'a>(
        &'a self,
        mask_rules: MaskRules<'a>,
        session: &'a mut Session,
        memory: &dyn Recall,
        host: Option<&'a Leaves>,
    ) -> Located {
        let finding = self.engine.finding_under(mask_rules, session, host);
        let mut finding = finding.in_body(self.root(), self.schema);
        Prompt::new(self.map(), self.beside(), memory, &mut finding).locate(finding)
    }

    fn mask_rules(&self) -> MaskRules<'_> {
        MaskRules::new(&self.engine.settings, &self.verdict)
    }

    fn mask_pooled(
        &self,
        session: &mut Session,
        memory: &dyn Recall,
        host: Option<&Leaves>,
    ) -> Result<Masked, Error> {
        let redacts = self.verdict.redacts();
        let counts = !redacts && self.engine.settings.operator.counts();
        let may_reuse_numbers = counts && !session.is_derived();
        if may_reuse_numbers && !self.is_history_known && !self.history.is_empty() {
            return Err(Error::UnknownHistory);
        }
        if self.root().is_some_and(schema::holds_token_ids) && !self.verdict.lets_all_pass() {
            return Err(Error::TokenIds);
        }
        for other in &self.referred {
            session.adopt_derived(other);
        }
        let map = self.map();
        let (json_output, coverage, asked) = (map.json_output, map.coverage, map.asked);
        let finding = self.engine.finding_under(self.mask_rules(), session, host);
        let mut finding = finding.in_body(self.root(), self.schema);
        finding.hold_at_most(self.most_values);
        finding.read(&self.body);
        let texts = map.leaves.iter().filter(|leaf| leaf.form != Form::Left);
        // No model reads its own name.
        let model = self.root().and_then(|root| root.member("model"));
        let texts = texts.map(|leaf| leaf.value).chain(model);
        finding.hear_between(&self.body, texts.map(|text| text.start()..text.end()));
        if self.scope == Scope::OwnTokens {
            finding.keep_own();
        }
        let (edits, mut masking) =
            Prompt::new(map, self.beside(), memory, &mut finding).mask(finding);
        let spellings = masking.take_spellings();
        let (mut summary, mut own) = masking.finish(self.root())?;
        let header = self.metadata_header.as_deref();
        let of_query = edits.beside.get(usize::from(header.is_some())..);
        if let Some(own) = &mut own {
            for other in &self.referred {
                own.adopt_shared(other, session);
            }
        }
        summary.mapping_count = session.pairs() as u64;
        summary.unread = coverage.unread();
        summary.coverage = coverage;
        summary.asked = asked;
        let restorable = own.unwrap_or_else(|| session.clone());
        let tokens = Tokens::new(if redacts {
            Session::new()
        } else if self.history.is_empty() || may_reuse_numbers {
            restorable
        } else {
            restorable.without_counted()
        });
        Ok(Masked {
            body: self.edited(&edits.body)?,
            metadata_header: header.map(|header| edits.spliced_beside(0, header)),
            query: self.query.masked(of_query.unwrap_or_default()),
            summary,
            restoring: Restoring(Reply {
                tokens: tokens.spelled(spellings),
                schema: self.schema,
                json_output,
                kept: self.history.kept,
                rules: self.engine.settings.restore.clone(),
            }),
        })
    }

    fn root(&self) -> Option<Value<'_>> {
        self.tape.as_ref().map(|tape| tape.root(&self.body))
    }

    /// What is masked outside of the body: the header, then the names and values of the query.
    fn beside(&self) -> Vec<&str> {
        let header = self.metadata_header.as_deref().into_iter();
        header.chain(self.query.texts()).collect()
    }

    fn map(&self) -> RequestMap<'_> {
        let (Some(tape), Some(root)) = (&self.tape, self.root()) else {
            return RequestMap::default();
        };
        let mut map = schema::request(self.schema, root);
        let seen = map.coverage.texts + map.coverage.unread();
        map.coverage.structural = tape.string_count().saturating_sub(seen);
        if let Some(form) = &self.form {
            map.coverage.images += form.unread.images;
            map.coverage.files += form.unread.files;
        }
        ask::answer(&mut map, root, &self.engine.settings);
        map
    }

    fn edited(&self, edits: &[Edit]) -> Result<MaskedBody, Error> {
        Ok(match &self.form {
            None if edits.is_empty() => MaskedBody::kept(Arc::clone(&self.body)),
            None => {
                let mut out = Vec::new();
                splice(&self.body, edits, &mut out);
                MaskedBody::edited(out)
            }
            Some(form) if edits.is_empty() => MaskedBody::kept_form(Arc::clone(form)),
            Some(form) => MaskedBody::edited(form.masked(&self.body, &spliced(&self.body, edits))?),
        })
    }
}
