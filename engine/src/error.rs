//! The engine's errors.

use std::fmt;

/// The side at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The client sent something unusable.
    Client,
    /// The provider sent something unusable.
    Upstream,
    /// The proxy itself failed.
    Own,
}

/// A request that the engine can't mask.
///
/// Messages never quote the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Error {
    /// The body is not UTF-8 text.
    NotUtf8,
    /// The body is not JSON, from this byte on.
    NotJson {
        /// Offset of the first byte that is wrong.
        at: usize,
    },
    /// The body is not a form, or its parts are ambiguous.
    NotAForm,
    /// The body is JSON, but not the object that its schema needs.
    NotAnObject,
    /// The prompt is token ids or embeddings, which no detector can read.
    TokenIds,
    /// Arrays and objects are nested deeper than [`Limits::depth`](crate::Limits::depth).
    TooDeep,
    /// The body is larger than 4 GiB, which offsets can't reach.
    TooLarge,
    /// The session would hold more values than the host [allows](crate::Request::with_most_values).
    TooManyValues,
    /// A detector failed, so nothing must be forwarded.
    ScanFailed,
    /// The request refers to history that the provider holds, and the host masked it with a
    /// counting session without saying that this session issued the history's tokens. New tokens
    /// could equal those of the history. This is an error of the host.
    UnknownHistory,
}

impl Error {
    /// The side at fault.
    #[must_use]
    pub const fn side(self) -> Side {
        match self {
            Self::ScanFailed | Self::UnknownHistory => Side::Own,
            _ => Side::Client,
        }
    }

    /// The code of the specification, section 7.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::ScanFailed | Self::UnknownHistory => "mask_scan_failed",
            Self::TooLarge => "mask_request_too_large",
            Self::TooManyValues => "mask_session_full",
            _ => "mask_invalid_request",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str(
                "the request body is not UTF-8 text, so it can't be masked; send it as JSON, or, in a form, send \
                 texts in UTF-8 and give other files a name",
            ),
            Self::NotJson { at } => {
                write!(
                    f,
                    "the request body is not valid JSON (first error at byte {at}), so it can't be \
                     masked; send the request as JSON"
                )
            }
            Self::NotAForm => f.write_str(
                "the request body is not the multipart/form-data that its content type says, or one of its parts is encoded \
                 or has parts itself, so it can't be masked; send plain parts (RFC 7578) or JSON",
            ),
            Self::NotAnObject => f.write_str("the request body must be a JSON object; send it as one"),
            Self::TokenIds => f.write_str(
                "the prompt is sent as token ids or embeddings, which can't be masked; send it as text \
                 (LangChain's OpenAIEmbeddings: check_embedding_ctx_length=False), or let it pass by a policy rule with \
                 mask: none",
            ),
            Self::TooDeep => f.write_str(
                "the request body is nested too deeply; nest fewer arrays and objects",
            ),
            Self::TooLarge => f.write_str("the request body is too large; send less"),
            Self::TooManyValues => f.write_str(
                "the session would hold too many values; begin another one, or send fewer values at once",
            ),
            Self::ScanFailed => f.write_str("a detector failed, so the request was not forwarded"),
            Self::UnknownHistory => f.write_str(
                "the request leans on history that the provider holds and this session does not know, \
                 so it was not forwarded",
            ),
        }
    }
}

impl std::error::Error for Error {}
