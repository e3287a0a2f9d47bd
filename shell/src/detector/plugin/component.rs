//! Reads and compiles a component.

use std::fs;
use std::path::Path;

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

use super::Held;
use crate::base::io_error;
use crate::detector::start::PluginFault;

/// Core modules and tables that a component may have; its compiler makes a few.
const PARTS: u32 = 64;

/// More than this is out of a module's reach.
const LARGEST_MEMORY: usize = 4 << 30;

/// What memory grows by: a part of a page is of no use.
const PAGE: usize = 64 << 10;

/// The first bytes of a module and of a component.
const MAGIC: &[u8] = b"\0asm";
const MODULE_VERSION: &[u8] = b"\0asm\x01\0\0\0";

mod world {
    wasmtime::component::bindgen!({
        world: "detector",
        path: "../wit",
        ownership: Borrowing { duplicate_if_necessary: false },
    });
}

pub(super) use world::maskproxy::mask::detection::{Detection as Returned, Text};

/// A component of the `detector` world, compiled.
pub(super) struct Compiled {
    engine: Engine,
    detector: world::DetectorPre<Held>,
}

impl Compiled {
    /// Reads and compiles a component, for so many instances at a time.
    ///
    /// # Errors
    /// [`PluginFault`] when the file holds no such component, or one that imports anything.
    pub(super) fn read(path: &Path, memory: usize, instances: usize) -> Result<Self, PluginFault> {
        let bytes = fs::read(path);
        let bytes = bytes.map_err(|error| PluginFault::Unreadable(io_error::in_words(&error)))?;
        if bytes.starts_with(MODULE_VERSION) {
            return Err(PluginFault::Module);
        }
        if !bytes.starts_with(MAGIC) {
            return Err(PluginFault::NotWasm);
        }
        let engine = engine(instances, memory);
        let engine = engine.map_err(|error| PluginFault::Host(in_words(&error)))?;
        let component = Component::new(&engine, &bytes);
        let component = component.map_err(|error| PluginFault::Invalid(in_words(&error)))?;
        if let Some(import) = import(&component) {
            return Err(PluginFault::Import(import));
        }
        let linked = Linker::new(&engine).instantiate_pre(&component);
        let detector = linked.and_then(world::DetectorPre::new);
        let detector = detector.map_err(|error| PluginFault::NotADetector(in_words(&error)))?;
        Ok(Self { engine, detector })
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(super) fn instantiate(&self, store: &mut Store<Held>) -> wasmtime::Result<world::Detector> {
        self.detector.instantiate(store)
    }
}

/// The name of an import. Types alone need nothing from the host.
fn import(component: &Component) -> Option<String> {
    let engine = component.engine();
    let of_component = component.component_type();
    of_component.imports(engine).find_map(|(name, import)| {
        let ComponentItem::ComponentInstance(interface) = import.ty else {
            return Some(name.to_owned());
        };
        let wanted = interface
            .exports(engine)
            .find(|(_, export)| !matches!(export.ty, ComponentItem::Type(_)));
        wanted.map(|(function, _)| format!("{function} of {name}"))
    })
}

fn engine(instances: usize, memory: usize) -> wasmtime::Result<Engine> {
    let instances = u32::try_from(instances).unwrap_or(u32::MAX);
    let parts = instances.saturating_mul(PARTS);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(instances)
        .total_core_instances(parts)
        .max_core_instances_per_component(PARTS)
        .total_memories(instances)
        .max_memories_per_component(1)
        .max_memory_size(memory.min(LARGEST_MEMORY) / PAGE * PAGE)
        .total_tables(parts)
        .max_tables_per_component(PARTS);
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    Engine::new(&config)
}

/// The root of an error in one line.
fn in_words(error: &wasmtime::Error) -> String {
    let root = error.root_cause().to_string();
    root.lines().next().unwrap_or_default().to_owned()
}
