//! The filter as Envoy sees it: configured once per worker, then called for every request.

use std::cell::RefCell;
use std::rc::Rc;

use engine::route::NamedPaths;
use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{BufferType, ContextType, LogLevel};

use crate::counters::Counters;
use crate::exchange::Exchange;
use crate::settings::Settings;
use crate::{history, host, signed};

/// What the exchanges of one worker share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) counters: Counters,
    pub(crate) named_paths: RefCell<NamedPaths>,
    pub(crate) named_headers: RefCell<NamedPaths>,
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
                signed::prepare();
                history::prepare();
                self.shared = Some(Rc::new(Shared {
                    settings,
                    counters: Counters::default(),
                    named_paths: RefCell::default(),
                    named_headers: RefCell::default(),
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
