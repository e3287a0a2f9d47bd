//! A model and its tokenizer, read from a folder and run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use rten::{NodeId, Value};
use serde::Deserialize;
use tokenizers::{Encoding, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use super::labels::{Label, Labels};
use super::spans::{Token, spans};
use crate::detector::span::Span;
use crate::detector::start::ModelFault;

/// The number of tokens the model reads at a time, if it has so many positions.
const WINDOW: usize = 256;

/// A smaller window hardly has room for the tokens that the tokenizer adds to each.
const LEAST_WINDOW: usize = 16;

/// The positions of a model that does not say how many it has, and those that some models reserve.
const POSITIONS: usize = 512;
const SPARE: usize = 2;

/// Two windows share a fourth of their tokens. The border is the middle of what they share, so that each token is
/// labelled where more of the text surrounds it.
const SHARED: usize = 4;

/// The model can't be run, or its output makes no sense.
#[derive(Debug)]
pub(super) struct Unusable;

/// The part of `config.json` that is used.
#[derive(Deserialize)]
struct Config {
    id2label: BTreeMap<String, String>,
    max_position_embeddings: Option<usize>,
}

/// What the model is given as an input.
#[derive(Debug, Clone, Copy)]
enum Input {
    Ids,
    Mask,
    Types,
}

pub(super) struct Model {
    network: rten::Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    tokenizer: Tokenizer,
    labels: Labels,
    /// How many tokens two windows share.
    shared: usize,
}

impl Model {
    /// Reads a model, and runs it once.
    ///
    /// # Errors
    /// [`ModelFault`] when it can't be used.
    pub(super) fn read(path: &Path) -> Result<Self, ModelFault> {
        let files = Files::of(path)?;
        let config: Config = serde_json::from_slice(&read(&files.beside("config.json"))?)
            .map_err(|error| ModelFault::Config(error.to_string()))?;
        let labels = Labels::read(&config.id2label).ok_or(ModelFault::Labels)?;
        let positions = config.max_position_embeddings.unwrap_or(POSITIONS);
        let window = WINDOW.min(positions.saturating_sub(SPARE));
        if window < LEAST_WINDOW {
            return Err(ModelFault::Config("too few positions".to_owned()));
        }
        let shared = window / SHARED;
        let tokenizer = tokenizer(&files.beside("tokenizer.json"), window, shared)?;
        let network = rten::Model::load_file(&files.model)
            .map_err(|error| ModelFault::Network(error.to_string()))?;
        let inputs = network.input_ids().iter();
        let inputs = inputs.map(|id| Ok((*id, input(name(&network, *id))?)));
        let outputs = network.output_ids();
        let named = outputs.iter().find(|id| name(&network, **id) == "logits");
        let output = named.or(outputs.first()).ok_or(ModelFault::Output)?;
        let model = Self {
            inputs: inputs.collect::<Result<_, ModelFault>>()?,
            output: *output,
            network,
            tokenizer,
            labels,
            shared,
        };
        match model.spans("The weather is fine today.", &|| false) {
            Ok(_) => Ok(model),
            Err(Unusable) => Err(ModelFault::Output),
        }
    }

    /// What it finds in a text. It stops early once `is_stopped`.
    ///
    /// # Errors
    /// [`Unusable`] when the model can't be run or does not label each token.
    pub(super) fn spans(
        &self,
        text: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<Span>, Unusable> {
        let mut first = self.tokenizer.encode(text, true).map_err(|_| Unusable)?;
        let more = first.take_overflowing();
        let last = more.len();
        let mut tokens = Vec::new();
        for (number, window) in [first].into_iter().chain(more).enumerate() {
            if is_stopped() {
                break;
            }
            let own = self.labelled(&window)?;
            let from = if number == 0 { 0 } else { self.shared / 2 };
            let upto = if number == last {
                own.len()
            } else {
                own.len().saturating_sub(self.shared - self.shared / 2)
            };
            tokens.extend(own.into_iter().take(upto).skip(from));
        }
        Ok(spans(text, &tokens, &self.labels))
    }

    /// The tokens of a window, except those that the tokenizer adds.
    fn labelled(&self, window: &Encoding) -> Result<Vec<Token>, Unusable> {
        let values = self.run(window)?;
        let rows = values.chunks_exact(self.labels.all.len());
        let tokens = rows.zip(window.get_offsets()).map(|(row, &(start, end))| {
            let (label, score) = self.best(row)?;
            Some(Token {
                range: start..end,
                label,
                score,
            })
        });
        let own = tokens
            .zip(window.get_special_tokens_mask())
            .filter(|(_, is_special)| **is_special == 0);
        let own: Option<Vec<_>> = own.map(|(token, _)| token).collect();
        own.ok_or(Unusable)
    }

    /// The model's value for each label of each token, token by token.
    fn run(&self, window: &Encoding) -> Result<Vec<f32>, Unusable> {
        let shape = [1, window.len()];
        let inputs = self.inputs.iter().map(|(id, input)| {
            let given = match input {
                Input::Ids => window.get_ids(),
                Input::Mask => window.get_attention_mask(),
                Input::Types => window.get_type_ids(),
            };
            let given: Result<Vec<i32>, _> = given.iter().map(|&it| i32::try_from(it)).collect();
            let value = Value::from_shape(shape, given.map_err(|_| Unusable)?);
            Ok((*id, value.map_err(|_| Unusable)?.into()))
        });
        let inputs = inputs.collect::<Result<_, Unusable>>()?;
        let outputs = self.network.run_n(inputs, [self.output], None);
        let [output] = outputs.map_err(|_| Unusable)?;
        let (shape, values) = output.into_shape_vec::<f32, 3>().map_err(|_| Unusable)?;
        let is_whole = shape == [1, window.len(), self.labels.all.len()];
        is_whole.then_some(values).ok_or(Unusable)
    }

    /// The likeliest label of the likeliest kind, and the probability of that kind; `None` if a value is not a number.
    fn best(&self, row: &[f32]) -> Option<(Label, f32)> {
        let most = row.iter().copied().reduce(f32::max)?;
        let mut kinds = vec![(0.0, f32::NEG_INFINITY, None); self.labels.kinds.len()];
        for (label, value) in self.labels.all.iter().zip(row) {
            let (sum, highest, best) = kinds.get_mut(label.kind)?;
            *sum += (value - most).exp();
            if value > highest {
                (*highest, *best) = (*value, Some(*label));
            }
        }
        let total: f32 = kinds.iter().map(|(sum, ..)| sum).sum();
        let (sum, _, best) = kinds
            .into_iter()
            .max_by(|one, other| one.0.total_cmp(&other.0))?;
        let score = sum / total;
        score.is_finite().then_some((best?, score))
    }
}

/// Where the parts of a model are.
struct Files {
    model: PathBuf,
    /// The folder of the others.
    home: PathBuf,
}

impl Files {
    /// `path` is the folder, or the ONNX file in it or in its folder `onnx`.
    fn of(path: &Path) -> Result<Self, ModelFault> {
        let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        if !about.is_dir() {
            let mut folders = path.ancestors().skip(1).take(2);
            let home = folders.find(|it| it.join("tokenizer.json").is_file());
            return Ok(Self {
                home: home.or(path.parent()).unwrap_or(path).to_owned(),
                model: path.to_owned(),
            });
        }
        let mut models = Vec::new();
        for folder in [path.to_owned(), path.join("onnx")] {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let files = entries.map(|entry| entry.path());
            models.extend(files.filter(|file| file.extension().is_some_and(|it| it == "onnx")));
        }
        models.sort();
        let usual = models.iter().find(|file| file.ends_with("model.onnx"));
        let model = match (usual, models.as_slice()) {
            (Some(model), _) | (None, [model]) => model.clone(),
            (None, []) => return Err(ModelFault::NoModel),
            (None, _) => return Err(ModelFault::ManyModels),
        };
        Ok(Self {
            home: path.to_owned(),
            model,
        })
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, ModelFault> {
    fs::read(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> ModelFault {
    ModelFault::Unreadable {
        path: path.display().to_string(),
        reason: crate::base::io_error::in_words(error),
    }
}

/// The tokenizer, which cuts texts into windows.
fn tokenizer(path: &Path, window: usize, shared: usize) -> Result<Tokenizer, ModelFault> {
    let invalid = |error: tokenizers::Error| ModelFault::Tokenizer(error.to_string());
    let mut tokenizer = Tokenizer::from_bytes(read(path)?).map_err(invalid)?;
    let cut = TruncationParams {
        max_length: window,
        stride: shared,
        strategy: TruncationStrategy::LongestFirst,
        direction: TruncationDirection::Right,
    };
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(cut)).map_err(invalid)?;
    Ok(tokenizer)
}

fn name(network: &rten::Model, id: NodeId) -> &str {
    let info = network.node_info(id);
    info.and_then(|info| info.name()).unwrap_or_default()
}

fn input(name: &str) -> Result<Input, ModelFault> {
    match name {
        "input_ids" => Ok(Input::Ids),
        "attention_mask" => Ok(Input::Mask),
        "token_type_ids" => Ok(Input::Types),
        other => Err(ModelFault::Input(other.to_owned())),
    }
}
