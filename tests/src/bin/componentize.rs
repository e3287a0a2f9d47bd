//! Makes a component of a core module that wit-bindgen put together: `componentize MODULE COMPONENT`.

use std::path::PathBuf;
use std::{env, fs};

use wit_component::ComponentEncoder;

fn main() {
    let paths: Vec<_> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [module, component] = paths.as_slice() else {
        panic!("usage: componentize MODULE COMPONENT");
    };
    let module = fs::read(module).expect("the module");
    let encoder = ComponentEncoder::default().validate(true).module(&module);
    let mut encoder = encoder.expect("a core module with its world");
    let bytes = encoder.encode().expect("a valid component");
    fs::write(component, bytes).expect("a place for the component");
}
