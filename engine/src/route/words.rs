//! The common words of API paths: all that a log may show of an unrouted path.

use super::Routes;

/// Whether a part of a path consists of common words: `completions`, `event_logging`, `v1beta`,
/// `generateContent`.
pub(crate) fn is_known(part: &str) -> bool {
    let mut words = part.split(['-', '_', '.']).filter(|word| !word.is_empty());
    is_of_route(part) || words.all(is_word)
}

fn is_word(word: &str) -> bool {
    let is = |known: &&str| known.eq_ignore_ascii_case(word);
    is_version(word) || WORDS.iter().any(is)
}

/// `v1`, `v1beta1`.
fn is_version(word: &str) -> bool {
    let Some(number) = word.strip_prefix('v') else {
        return false;
    };
    let is_digit = |c: char| c.is_ascii_digit();
    let stage = number.trim_start_matches(is_digit);
    let digits = number.len() - stage.len();
    (1..=3).contains(&digits)
        && matches!(stage.trim_end_matches(is_digit), "" | "alpha" | "beta")
        && stage.len() <= 6
}

/// Whether a default route has it, in any case.
fn is_of_route(part: &str) -> bool {
    let parts = Routes::defaults().flat_map(|(path, _)| path.split(['/', ':']));
    parts
        .filter(|known| !known.starts_with('*'))
        .any(|known| known.eq_ignore_ascii_case(part))
}

/// In order. None is anybody's name.
#[rustfmt::skip]
static WORDS: &[&str] = &[
    "abort", "accept", "account", "accounts", "action", "actions", "activate", "activities", "activity", "add",
    "admin", "agent", "agents", "ai", "alias", "aliases", "all", "analytics", "analyze", "annotations",
    "announcements", "answer", "answers", "api", "apis", "app", "apply", "apps", "archive", "ask", "assets",
    "assistant", "assistants", "async", "attachments", "audio", "audit", "auth", "authorize", "autocomplete",
    "avatar", "azure", "background", "balance", "base", "batch", "batches", "beta", "billing", "blob", "bot",
    "bots", "bucket", "buckets", "build", "bulk", "cache", "calendar", "call", "callback", "calls", "cancel",
    "cards", "catalog", "categories", "chain", "chat", "chatbot", "chats", "check", "checkout", "checkpoints",
    "chunk", "chunks", "classify", "cli", "client", "cloud", "code", "codes", "collect", "collection",
    "collections", "command", "commands", "comments", "common", "compact", "complete", "completion", "completions",
    "compute", "config", "configuration", "connect", "connectors", "contact", "contacts", "container", "containers",
    "content", "contents", "context", "control", "conversation", "conversations", "convert", "copilot", "core",
    "corpora", "count", "create", "credentials", "credits", "css", "current", "custom", "customer", "customers",
    "dashboard", "data", "database", "dataset", "datasets", "debug", "default", "delete", "deploy", "deployment",
    "deployments", "describe", "detect", "device", "devices", "diff", "directory", "discover", "discovery", "doc",
    "docs", "document", "documents", "domain", "download", "downloads", "draft", "drafts", "echo", "edge", "edit",
    "edits", "email", "embed", "embedding", "embeddings", "empty", "endpoint", "endpoints", "engine", "engines",
    "enhance", "enrich", "env", "error", "errors", "estimate", "eval", "evals", "evaluate", "event", "events",
    "exchange", "execute", "expand", "experiment", "experimental", "experiments", "explain", "export", "extensions",
    "external", "extract", "extractor", "faq", "favicon", "feature", "features", "feed", "feedback", "fetch",
    "field", "file", "files", "fill", "filter", "find", "fine", "flow", "flows", "folder", "folders", "form",
    "forms", "forward", "function", "functions", "gateway", "generate", "generation", "get", "global", "graph",
    "graphql", "group", "groups", "guardrail", "guardrails", "handle", "health", "help", "history", "home", "hook",
    "hooks", "html", "http", "ico", "icon", "id", "identify", "image", "images", "import", "index", "indexes",
    "infer", "inference", "info", "ingest", "input", "insert", "inspect", "instructions", "integration",
    "integrations", "interactions", "internal", "invite", "invoices", "invoke", "issue", "issues", "item", "items",
    "job", "jobs", "js", "json", "key", "keys", "knowledge", "known", "label", "labels", "language", "languages",
    "large", "latest", "layout", "lib", "library", "list", "lists", "live", "llm", "llms", "load", "local",
    "locations", "lock", "log", "logging", "login", "logout", "logs", "lookup", "mail", "main", "manage",
    "management", "map", "mask", "mcp", "me", "media", "member", "members", "memories", "memory", "merge",
    "message", "messages", "meta", "metadata", "method", "metric", "metrics", "mirror", "model", "models",
    "moderate", "moderation", "moderations", "module", "modules", "move", "multi", "name", "names", "network",
    "new", "news", "next", "node", "nodes", "note", "notes", "notification", "notifications", "oauth", "object",
    "objects", "of", "offer", "office", "ok", "ollama", "open", "openai", "openid", "operation", "operations",
    "optimize", "option", "options", "order", "orders", "org", "organization", "organizations", "output",
    "overview", "package", "packages", "page", "pages", "paraphrase", "parse", "part", "parts", "password", "path",
    "payment", "payments", "permission", "permissions", "ping", "pipeline", "pipelines", "plan", "plans",
    "platform", "play", "playground", "plugin", "plugins", "poll", "portal", "post", "posts", "predict",
    "prediction", "predictions", "preferences", "preview", "private", "process", "product", "products", "profile",
    "project", "projects", "prompt", "prompts", "proofread", "provider", "providers", "proxy", "pub", "public",
    "publish", "publishers", "pull", "push", "query", "question", "questions", "queue", "quota", "raw", "read",
    "ready", "realtime", "recommend", "recommendations", "record", "records", "redact", "redirect", "refine",
    "refresh", "region", "register", "rel", "release", "releases", "reload", "remote", "remove", "render", "repair",
    "replay", "replies", "reply", "report", "reports", "repositories", "repository", "request", "requests",
    "rerank", "rerun", "research", "reset", "resolve", "resource", "resources", "respond", "response", "responses",
    "rest", "restart", "restore", "result", "results", "resume", "retrieve", "retry", "review", "reviews",
    "rewrite", "robots", "role", "roles", "root", "route", "router", "routes", "rpc", "rule", "rules", "run",
    "runs", "runtime", "safety", "sandbox", "save", "scan", "schedule", "schema", "schemas", "score", "script",
    "scripts", "sdk", "search", "secret", "secrets", "secure", "security", "select", "send", "sentiment", "serve",
    "server", "servers", "service", "services", "serving", "session", "sessions", "set", "settings", "setup",
    "share", "shared", "shell", "show", "sign", "signup", "similar", "simple", "simulate", "site", "sites",
    "skills", "snapshot", "snapshots", "socket", "solve", "source", "sources", "space", "spaces", "speak", "spec",
    "speech", "split", "sql", "src", "stable", "stage", "start", "state", "static", "statistics", "stats", "status",
    "step", "steps", "stop", "storage", "store", "stores", "stream", "streaming", "streams", "style", "submit",
    "subscribe", "subscription", "subscriptions", "suggest", "suggestion", "suggestions", "summaries", "summarize",
    "summary", "super", "support", "sync", "system", "systems", "table", "tables", "tag", "tags", "target", "task",
    "tasks", "team", "teams", "telemetry", "template", "templates", "tenant", "tenants", "terms", "test", "tests",
    "text", "texts", "the", "thread", "threads", "ticket", "tickets", "time", "title", "titles", "to", "token",
    "tokenize", "tokens", "tool", "tools", "top", "topic", "topics", "trace", "traces", "track", "train",
    "training", "transactions", "transcribe", "transcript", "transcription", "transcriptions", "transcripts",
    "transform", "transforms", "translate", "translation", "translations", "tree", "trigger", "ts", "tts", "tuning",
    "tunnel", "turn", "turns", "txt", "type", "types", "undo", "unknown", "update", "updates", "upload", "uploads",
    "url", "usage", "use", "user", "users", "util", "utils", "validate", "validation", "value", "values",
    "variables", "variation", "variations", "vector", "vectors", "verify", "version", "versions", "vertex", "video",
    "videos", "view", "views", "vision", "voice", "voices", "volume", "web", "webhook", "webhooks", "websocket",
    "well", "wiki", "with", "work", "worker", "workers", "workflow", "workflows", "workspace", "workspaces",
    "write", "ws", "xml", "yaml",
];
