//! Errors when an external detector starts.

/// Why a detector can't be used as configured. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    #[error(
        "setting 'detector': type ner is not built in; build with the feature ner: \
         cargo install --locked --path shell --features ner"
    )]
    NoLocalModel,
    #[cfg(feature = "ner")]
    #[error("the model {path} {fault}")]
    Model { path: String, fault: ModelFault },
    #[cfg(not(feature = "plugins"))]
    #[error("setting 'detector': type wasm is not built in; build with the feature plugins")]
    NoPlugins,
    #[cfg(feature = "plugins")]
    #[error("the plug-in {path} {fault}")]
    Plugin { path: String, fault: PluginFault },
    #[error(
        "setting 'detector.llm_api_key' or MASK_LLM_API_KEY must be set for a detector of type llm without \
         an llm_base_url"
    )]
    NoKey,
    #[error(
        "setting 'detector.llm_api_key' must be a key without line breaks and control characters"
    )]
    InvalidKey,
    #[error("setting 'detector.{0}' must be an http or https URL without a user and a query")]
    InvalidUrl(&'static str),
    #[error(
        "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names a proxy that can't be used for the detector"
    )]
    Egress,
    #[error("the detector can't be reached securely: the system has no root certificates")]
    NoRoots,
}

/// Why a model can't be used.
#[cfg(feature = "ner")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ModelFault {
    #[error("can't be used: {path} can't be read: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("has no .onnx file in its folder or in onnx/; export the model to ONNX")]
    NoModel,
    #[error("has several .onnx files; name one of them in 'path'")]
    ManyModels,
    #[error("has a config.json that can't be used: {0}")]
    Config(String),
    #[error(
        "has no names for its labels; give them names such as B-PER in id2label of config.json"
    )]
    Labels,
    #[error("has a tokenizer.json that can't be used: {0}")]
    Tokenizer(String),
    #[error("can't be loaded: {0}")]
    Network(String),
    #[error(
        "needs the input {0:?}, but only input_ids, attention_mask and token_type_ids are supported"
    )]
    Input(String),
    #[error("can't be run or does not label each token; use a model for token classification")]
    Output,
}

/// Why a component can't be a plug-in.
#[cfg(feature = "plugins")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PluginFault {
    #[error("can't be read: {0}")]
    Unreadable(String),
    #[error("is not a WebAssembly file")]
    NotWasm,
    #[error("is a WebAssembly module; convert it to a component")]
    Module,
    #[error("can't be compiled: {0}")]
    Invalid(String),
    #[error("imports {0}, but a plug-in must not import anything")]
    Import(String),
    #[error("does not implement the world detector of wit/detector.wit: {0}")]
    NotADetector(String),
    #[error("can't be run on this machine: {0}")]
    Host(String),
}
