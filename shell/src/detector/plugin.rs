//! Plug-in detectors: components that implement the `detector` world of `wit/`.
//!
//! A component is compiled once. Each exchange has a fresh instance, with limited memory and time,
//! and no access to the host.

mod component;
mod stop;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use engine::{Detection, EntityType, Leaf, Leaves, Score};
use tokio::sync::Semaphore;
use wasmtime::{Store, StoreLimits, StoreLimitsBuilder, Trap, UpdateDeadline};

use super::{OfLeaves, StartError};
use crate::config::PluginSettings;
use crate::error::ScanFailure;
use component::{Compiled, Returned, Text};
use stop::{Stop, Stopping};

pub(super) const NAME: &str = "wasm";

/// The most bytes of host memory for a component's result for one text.
const LONGEST_ANSWER: usize = 16 << 20;

/// A component, ready to scan texts.
pub(super) struct Plugin {
    compiled: Arc<Compiled>,
    /// One for each instance that can run at a time.
    places: Arc<Semaphore>,
    memory: usize,
    timeout: Duration,
    entities: Vec<EntityType>,
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plugin").finish_non_exhaustive()
    }
}

/// The host's state for an instance.
struct Held {
    limits: StoreLimits,
}

impl Plugin {
    /// Compiles a component.
    ///
    /// # Errors
    /// [`StartError`] when it is no detector, or wants something of its host.
    pub(super) fn new(
        settings: &PluginSettings,
        entities: &[EntityType],
    ) -> Result<Self, StartError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let compiled = Compiled::read(&settings.path, settings.memory, cores);
        let compiled = compiled.map_err(|fault| StartError::Plugin {
            path: settings.path.display().to_string(),
            fault,
        })?;
        Ok(Self {
            compiled: Arc::new(compiled),
            places: Arc::new(Semaphore::new(cores)),
            memory: settings.memory,
            timeout: settings.timeout,
            entities: entities.to_vec(),
        })
    }

    /// Searches each text in order, and returns the detections by leaf.
    ///
    /// # Errors
    /// [`ScanFailure`] when the component traps, runs for too long, takes too much memory or tells
    /// nonsense.
    pub(super) async fn ask(&self, leaves: &Arc<Leaves>) -> Result<OfLeaves, ScanFailure> {
        let found = tokio::time::timeout(self.timeout, self.run(leaves)).await;
        let mut found = found.unwrap_or(Err(ScanFailure::timeout(NAME)))?;
        if !self.entities.is_empty() {
            for (_, found) in &mut found {
                let asked = |found: &&Detection| self.entities.contains(&found.entity);
                *found = found.iter().filter(asked).cloned().collect();
            }
        }
        Ok(found)
    }

    /// Runs an instance off the reactor. It ends when this future is dropped.
    async fn run(&self, leaves: &Arc<Leaves>) -> Result<OfLeaves, ScanFailure> {
        let unusable = ScanFailure::unusable(NAME);
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| unusable)?;
        let (stop, stopping) = Stop::of(self.compiled.engine());
        let compiled = Arc::clone(&self.compiled);
        let memory = self.memory;
        let leaves = Arc::clone(leaves);
        let work = tokio::task::spawn_blocking(move || {
            let found = Instance::new(&compiled, memory, &stopping).detect(&leaves);
            drop((leaves, place, stopping));
            found
        });
        let found = work.await.unwrap_or(Err(unusable));
        drop(stop);
        found
    }
}

/// A fresh instance.
struct Instance<'a> {
    compiled: &'a Compiled,
    store: Store<Held>,
}

impl<'a> Instance<'a> {
    fn new(compiled: &'a Compiled, memory: usize, stopping: &Stopping) -> Self {
        let limits = StoreLimitsBuilder::new().memory_size(memory).build();
        let mut store = Store::new(compiled.engine(), Held { limits });
        store.limiter(|held| &mut held.limits);
        store.set_hostcall_fuel(LONGEST_ANSWER);
        let stopping = stopping.clone();
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            // The interruption may be for another instance.
            Ok(if stopping.is_asked() {
                UpdateDeadline::Interrupt
            } else {
                UpdateDeadline::Continue(1)
            })
        });
        Self { compiled, store }
    }

    fn detect(mut self, leaves: &Leaves) -> Result<OfLeaves, ScanFailure> {
        let component = self.compiled.instantiate(&mut self.store);
        let component = component.map_err(|error| failure(&error))?;
        let mut found = Vec::new();
        for (index, Leaf { text, name }) in leaves.iter().enumerate() {
            let length = text.len();
            let text = Text {
                content: text,
                name,
            };
            let returned = component.call_detect(&mut self.store, text);
            let returned = returned.map_err(|error| failure(&error))?;
            let returned = returned.map_err(|()| ScanFailure::gave_up(NAME))?;
            // No text holds more values than bytes; such an answer would only keep its host busy.
            if returned.len() > length {
                return Err(ScanFailure::unusable(NAME));
            }
            if !returned.is_empty() {
                let detections = returned.iter().map(detection);
                found.push((index, detections.collect::<Result<_, _>>()?));
            }
        }
        Ok(found)
    }
}

/// A detection from a component. Its span is checked when it is added.
fn detection(returned: &Returned) -> Result<Detection, ScanFailure> {
    let unusable = ScanFailure::unusable(NAME);
    let offset = |offset: u32| usize::try_from(offset).map_err(|_| unusable);
    if returned.score > Score::MAX.as_percent() {
        return Err(unusable);
    }
    Ok(Detection {
        start: offset(returned.start)?,
        end: offset(returned.end)?,
        entity: EntityType::parse(&returned.entity).map_err(|_| unusable)?,
        score: Score::percent(returned.score),
        rule: NAME,
    })
}

fn failure(error: &wasmtime::Error) -> ScanFailure {
    match error.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => ScanFailure::timeout(NAME),
        Some(_) => ScanFailure::trapped(NAME),
        // A result of the wrong type, or too long.
        None => ScanFailure::unusable(NAME),
    }
}
