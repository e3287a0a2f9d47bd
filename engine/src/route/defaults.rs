//! The paths that carry prompts, by their endings.

use crate::Schema;
use crate::Schema::{ChatStyle, Generic, MessagesStyle, Responses};

/// The default routes. Each holds for every path that ends in it at a segment border; `*` stands for
/// one segment, `*:` for what stands before a colon. Where several hold, the one with the most
/// segments counts, then the one with the fewest `*`.
///
/// The three schemas' paths are the specification's map; the others follow the providers' and
/// servers' own references.
pub(super) static DEFAULTS: &[(&str, Schema)] = &[
    // The three schemas.
    ("/v1/chat/completions", ChatStyle),
    ("/chat/completions", ChatStyle),
    ("/v1/messages", MessagesStyle),
    ("/messages", MessagesStyle),
    ("/v1/messages/count_tokens", MessagesStyle),
    ("/messages/count_tokens", MessagesStyle),
    ("/v1/responses", Responses),
    ("/responses", Responses),
    ("/v1/responses/input_tokens", Responses),
    ("/responses/input_tokens", Responses),
    ("/v1/responses/compact", Responses),
    ("/responses/compact", Responses),
    // What the provider stored of them.
    ("/chat/completions/*", Generic),
    ("/chat/completions/*/messages", Generic),
    ("/responses/*", Generic),
    ("/responses/*/cancel", Generic),
    ("/responses/*/input_items", Generic),
    ("/conversations", Generic),
    ("/conversations/*", Generic),
    ("/conversations/*/items", Generic),
    ("/conversations/*/items/*", Generic),
    ("/messages/batches", Generic),
    ("/messages/batches/*", Generic),
    ("/messages/batches/*/cancel", Generic),
    ("/messages/batches/*/results", Generic),
    ("/batches", Generic),
    ("/batches/*", Generic),
    ("/batches/*/cancel", Generic),
    // Assistants.
    ("/assistants", Generic),
    ("/assistants/*", Generic),
    ("/threads", Generic),
    ("/threads/*", Generic),
    ("/threads/*/messages", Generic),
    ("/threads/*/messages/*", Generic),
    ("/threads/*/runs", Generic),
    ("/threads/*/runs/*", Generic),
    ("/threads/*/runs/*/cancel", Generic),
    ("/threads/*/runs/*/submit_tool_outputs", Generic),
    ("/threads/*/runs/*/steps", Generic),
    ("/threads/*/runs/*/steps/*", Generic),
    // Texts and media.
    ("/completions", Generic),
    ("/completion", Generic),
    ("/complete", Generic),
    ("/infill", Generic),
    ("/edits", Generic),
    ("/embeddings", Generic),
    ("/embedding", Generic),
    ("/embed", Generic),
    ("/rerank", Generic),
    ("/moderations", Generic),
    ("/images/generations", Generic),
    ("/images/edits", Generic),
    ("/images/variations", Generic),
    ("/audio/speech", Generic),
    ("/videos", Generic),
    ("/videos/*", Generic),
    ("/videos/*/remix", Generic),
    ("/vector_stores/*/search", Generic),
    ("/realtime/sessions", Generic),
    ("/realtime/transcription_sessions", Generic),
    ("/realtime/client_secrets", Generic),
    ("/v1/chat", Generic),
    ("/v2/chat", Generic),
    // Other servers and providers.
    ("/generate", Generic),
    ("/generate_stream", Generic),
    ("/generate/stream", Generic),
    ("/chat/stream", Generic),
    ("/chat_stream", Generic),
    ("/generation", Generic),
    ("/generation_stream", Generic),
    ("/predictions", Generic),
    ("/predict", Generic),
    ("/invocations", Generic),
    ("/summarize", Generic),
    ("/classify", Generic),
    ("/classifications", Generic),
    ("/score", Generic),
    ("/encode", Generic),
    ("/pooling", Generic),
    ("/embed_all", Generic),
    ("/embed_sparse", Generic),
    ("/similarity", Generic),
    ("/reranking", Generic),
    ("/tokenize", Generic),
    ("/detokenize", Generic),
    ("/apply-template", Generic),
    ("/multimodalembeddings", Generic),
    ("/contextualizedembeddings", Generic),
    ("/text-embedding", Generic),
    ("/ocr", Generic),
    ("/infer", Generic),
    ("/chatcompletion_v2", Generic),
    ("/ai/run/*/*/*", Generic),
    ("/text-to-speech/*", Generic),
    ("/text-to-speech/*/stream", Generic),
    ("/v1/search", Generic),
    ("/conversations/*/restart", Generic),
    ("/images/generations:submit", Generic),
    ("/video/generations", Generic),
    ("/video/generations/jobs", Generic),
    ("/evals", Generic),
    ("/evals/*/runs", Generic),
    ("/experimental/generate_prompt", Generic),
    ("/experimental/improve_prompt", Generic),
    ("/experimental/templatize_prompt", Generic),
    // Ollama.
    ("/api/chat", Generic),
    ("/api/create", Generic),
    // Gemini and Vertex.
    ("/*:generateContent", Generic),
    ("/*:streamGenerateContent", Generic),
    ("/*:batchGenerateContent", Generic),
    ("/*:generateAnswer", Generic),
    ("/*:countTokens", Generic),
    ("/*:computeTokens", Generic),
    ("/*:embedContent", Generic),
    ("/*:batchEmbedContents", Generic),
    ("/*:asyncBatchEmbedContent", Generic),
    ("/*:predict", Generic),
    ("/*:predictLongRunning", Generic),
    ("/*:serverStreamingPredict", Generic),
    ("/*:rawPredict", Generic),
    ("/*:streamRawPredict", Generic),
    ("/*:generateText", Generic),
    ("/*:generateMessage", Generic),
    ("/*:embedText", Generic),
    ("/*:batchEmbedText", Generic),
    ("/*:countTextTokens", Generic),
    ("/*:countMessageTokens", Generic),
    ("/*:query", Generic),
    ("/*:streamQuery", Generic),
    ("/*:directPredict", Generic),
    ("/*:streamDirectPredict", Generic),
    ("/*:explain", Generic),
    ("/*:augmentPrompt", Generic),
    ("/*:corroborateContent", Generic),
    ("/*:retrieveContexts", Generic),
    ("/*:evaluateInstances", Generic),
    ("/*:complete", Generic),
    ("/*:analyze", Generic),
    ("/cachedContents", Generic),
    ("/cachedContents/*", Generic),
    ("/interactions", Generic),
    ("/interactions/*", Generic),
    // Bedrock. Its streams are AWS event streams, which are refused.
    ("/model/*/converse", Generic),
    ("/model/*/converse-stream", Generic),
    ("/model/*/invoke", Generic),
    ("/model/*/invoke-with-response-stream", Generic),
    ("/model/*/count-tokens", Generic),
    ("/model/*/invoke-with-bidirectional-stream", Generic),
    ("/async-invoke", Generic),
    ("/guardrail/*/version/*/apply", Generic),
    ("/knowledgebases/*/retrieve", Generic),
    ("/retrieveAndGenerate", Generic),
    ("/retrieveAndGenerateStream", Generic),
    ("/agents/*/agentAliases/*/sessions/*/text", Generic),
];

#[cfg(test)]
mod tests {
    use super::DEFAULTS;

    #[test]
    fn the_documentation_lists_the_default_routes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md");
        let page = std::fs::read_to_string(path).unwrap();
        let table = DEFAULTS.iter();
        let table =
            table.map(|(ending, schema)| format!("| `{ending}` | `{}` |\n", schema.as_str()));
        let table = format!(
            "| ending | schema |\n|---|---|\n{}\n",
            table.collect::<String>()
        );
        assert!(
            page.contains(&table),
            "docs/formats.md lists other routes:\n{table}"
        );
    }
}
