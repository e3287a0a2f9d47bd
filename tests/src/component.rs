//! The engine as a component, in wasmtime.

use std::path::Path;

use wasmtime::component::{Component, Linker, ResourceAny};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, Store};

#[expect(missing_docs, reason = "generated; what it means is said in wit/")]
mod bindings {
    wasmtime::component::bindgen!({ path: "../wit", world: "masking" });
}

pub use bindings::exports::maskproxy::mask::{detection, engine as wit};
use bindings::{Masking, MaskingPre};

/// The component, compiled.
pub struct Host {
    engine: Engine,
    component: Component,
    ready: MaskingPre<()>,
}

impl Host {
    /// Compiles the component at a path. Its instances take their memory from a pool, or each anew.
    #[must_use]
    pub fn load(path: &Path, pooled: bool) -> Self {
        let mut config = Config::new();
        if pooled {
            config.allocation_strategy(InstanceAllocationStrategy::pooling());
        }
        let engine = Engine::new(&config).expect("an engine");
        let component = Component::from_file(&engine, path).expect("a component: just component");
        let linked = Linker::new(&engine).instantiate_pre(&component);
        let ready = MaskingPre::new(linked.expect("no imports")).expect("the world `masking`");
        Self {
            engine,
            component,
            ready,
        }
    }

    /// What the component asks its host for.
    #[must_use]
    pub fn imports(&self) -> Vec<String> {
        let kind = self.component.component_type();
        let imports = kind.imports(&self.engine);
        imports.map(|(name, _)| name.to_owned()).collect()
    }

    /// A fresh instance.
    #[must_use]
    pub fn instance(&self) -> Instance {
        let mut store = Store::new(&self.engine, ());
        let masking = self.ready.instantiate(&mut store).expect("an instance");
        Instance { store, masking }
    }
}

/// An instance of the component.
pub struct Instance {
    store: Store<()>,
    masking: Masking,
}

impl Instance {
    /// The settings of a proxy without a configuration.
    pub fn default_settings(&mut self) -> wit::Settings {
        let guest = self.masking.maskproxy_mask_engine();
        let settings = guest.call_default_settings(&mut self.store);
        settings.expect("no trap")
    }

    /// Compiles a configuration.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn engine(&mut self, settings: &wit::Settings) -> Result<ResourceAny, String> {
        let guest = self.masking.maskproxy_mask_engine();
        let engine = guest.engine().call_create(&mut self.store, settings);
        engine.expect("no trap")
    }

    /// Detects.
    pub fn detect(&mut self, engine: ResourceAny, text: &str) -> Vec<wit::Finding> {
        let guest = self.masking.maskproxy_mask_engine();
        let found = guest.engine().call_detect(&mut self.store, engine, text);
        found.expect("no trap")
    }

    /// An empty session.
    pub fn session(&mut self) -> ResourceAny {
        let guest = self.masking.maskproxy_mask_engine();
        let session = guest.session().call_constructor(&mut self.store);
        session.expect("no trap")
    }

    /// Hands a mapping to a session.
    pub fn adopt(&mut self, session: ResourceAny, mapping: &wit::Mapping) -> bool {
        let guest = self.masking.maskproxy_mask_engine();
        let adopted = guest
            .session()
            .call_adopt(&mut self.store, session, mapping);
        adopted.expect("no trap")
    }

    /// The content of a session.
    pub fn mappings(&mut self, session: ResourceAny) -> Vec<wit::Mapping> {
        let guest = self.masking.maskproxy_mask_engine();
        let mappings = guest.session().call_mappings(&mut self.store, session);
        mappings.expect("no trap")
    }

    /// Reads a request.
    ///
    /// # Errors
    /// Why it must not be forwarded.
    pub fn exchange(
        &mut self,
        engine: ResourceAny,
        request: &wit::Request,
    ) -> Result<ResourceAny, wit::Failure> {
        let guest = self.masking.maskproxy_mask_engine();
        let exchange = guest
            .engine()
            .call_exchange(&mut self.store, engine, request);
        exchange.expect("no trap")
    }

    /// The texts of a request.
    pub fn texts(&mut self, exchange: ResourceAny, session: ResourceAny) -> Vec<wit::Text> {
        let guest = self.masking.maskproxy_mask_engine();
        let texts = guest
            .exchange()
            .call_texts(&mut self.store, exchange, session);
        texts.expect("no trap")
    }

    /// Masks a request.
    ///
    /// # Errors
    /// Why it must not be forwarded.
    pub fn mask(
        &mut self,
        exchange: ResourceAny,
        session: ResourceAny,
    ) -> Result<wit::Masked, wit::Failure> {
        let guest = self.masking.maskproxy_mask_engine();
        let masked = guest
            .exchange()
            .call_mask(&mut self.store, exchange, session);
        masked.expect("no trap")
    }

    /// What masking would do.
    ///
    /// # Errors
    /// Why it could not be told.
    pub fn shadow(&mut self, exchange: ResourceAny) -> Result<wit::MaskSummary, wit::Failure> {
        let guest = self.masking.maskproxy_mask_engine();
        let summary = guest.exchange().call_shadow(&mut self.store, exchange);
        summary.expect("no trap")
    }

    /// Masks a request with what the host found.
    ///
    /// # Errors
    /// Why it must not be forwarded.
    pub fn mask_with(
        &mut self,
        exchange: ResourceAny,
        session: ResourceAny,
        found: &[wit::HostFinding],
    ) -> Result<wit::Masked, wit::Failure> {
        let guest = self.masking.maskproxy_mask_engine();
        let masked = guest
            .exchange()
            .call_mask_with(&mut self.store, exchange, session, found);
        masked.expect("no trap")
    }

    /// Restores a whole reply that arrives in chunks.
    pub fn restore(
        &mut self,
        reply: ResourceAny,
        content_type: &str,
        body: &[u8],
        chunk: usize,
    ) -> (Vec<u8>, wit::RestoreSummary) {
        let guest = self.masking.maskproxy_mask_engine();
        let store = &mut self.store;
        let restorer = guest
            .reply()
            .call_begin(&mut *store, reply, Some(content_type));
        let restorer = restorer.expect("no trap");
        let mut out = Vec::new();
        for piece in body.chunks(chunk) {
            let delivered = guest.restorer().call_push(&mut *store, restorer, piece);
            out.extend(delivered.expect("no trap"));
        }
        let rest = guest.restorer().call_finish(&mut *store, restorer);
        out.extend(rest.expect("no trap"));
        let summary = guest.restorer().call_summary(&mut *store, restorer);
        restorer.resource_drop(store).expect("no trap");
        (out, summary.expect("no trap"))
    }

    /// Frees the memory of a resource.
    pub fn drop(&mut self, resource: ResourceAny) {
        resource.resource_drop(&mut self.store).expect("no trap");
    }
}
