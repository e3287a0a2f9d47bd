//! The filter as Envoy sees it: configured once a worker, then asked for every request.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use engine::{Memory, Recall, SignedBlock};
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{BufferType, ContextType, LogLevel};

use crate::counters::Counters;
use crate::exchange::Exchange;
use crate::host;
use crate::settings::Settings;

const MAX_BLOCKS: usize = 4096;
const MAX_BYTES: usize = 64 << 20;

/// What the exchanges of one worker share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) counters: Counters,
    /// The signed blocks that providers wrote, which must return as they were.
    signed: RefCell<Memory>,
}

impl Shared {
    /// Keeps what a reply to this owner brought.
    pub(crate) fn remember(&self, owner: &str, blocks: Vec<SignedBlock>) {
        for block in blocks {
            self.signed.borrow_mut().remember(owner, block);
        }
    }

    /// What the engine may look up for this owner.
    pub(crate) fn signed_of<'a>(&'a self, owner: &'a str) -> impl Recall {
        OwnBlocks {
            memory: &self.signed,
            owner,
        }
    }
}

struct OwnBlocks<'a> {
    memory: &'a RefCell<Memory>,
    owner: &'a str,
}

impl Recall for OwnBlocks<'_> {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.memory.borrow().recall(self.owner, signature)
    }
}

/// The filter in one worker.
#[derive(Default)]
pub(crate) struct Plugin {
    shared: Option<Rc<Shared>>,
}

impl Context for Plugin {}

impl RootContext for Plugin {
    fn on_configure(&mut self, size: usize) -> bool {
        let configuration = hostcalls::get_buffer(BufferType::PluginConfiguration, 0, size);
        let configuration = configuration.ok().flatten().unwrap_or_default();
        match Settings::read(&configuration) {
            Ok(settings) => {
                self.shared = Some(Rc::new(Shared {
                    settings,
                    counters: Counters::default(),
                    signed: RefCell::new(Memory::new(MAX_BLOCKS, MAX_BYTES)),
                }));
                true
            }
            Err(message) => {
                host::log(LogLevel::Error, &format!("maskproxy: {message}"));
                false
            }
        }
    }

    fn create_http_context(&self, _: u32) -> Option<Box<dyn HttpContext>> {
        let shared = self.shared.as_ref()?;
        Some(Box::new(Exchange::new(Rc::clone(shared))))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}
