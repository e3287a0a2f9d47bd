//! The engine as a bare WebAssembly module: it imports nothing, and equals the native engine.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use engine::Schema;
use purity::{FIELD, PART, run};
use tests::vectors::{self, CHUNKS};

#[test]
fn the_module_imports_nothing_and_agrees_with_the_native_engine() {
    let inputs = inputs();
    assert!(inputs.len() > 200, "{} inputs", inputs.len());
    let mut outputs = run_in_node(&inputs).into_iter();
    let imports = outputs.next().expect("the list of imports");
    assert_eq!(
        String::from_utf8_lossy(&imports),
        "",
        "the engine needs something from its host"
    );

    let outputs: Vec<_> = outputs.collect();
    assert_eq!(outputs.len(), inputs.len());
    for (input, output) in inputs.iter().zip(outputs) {
        let native = run(input);
        let shown = String::from_utf8_lossy(&input[..input.len().min(200)]);
        assert!(
            !native.is_empty() || input.starts_with(b"detect"),
            "no output: {shown}"
        );
        assert!(native == output, "the module disagrees on {shown}");
    }
}

/// Every vector as a detection or as an exchange.
fn inputs() -> Vec<Vec<u8>> {
    let session = vectors::session();
    let mappings: String = session
        .mappings()
        .map(|mapping| {
            let (entity, id, value) = (mapping.entity(), mapping.id(), mapping.value().expose());
            format!("{PART}{entity}{FIELD}{id}{FIELD}{value}")
        })
        .collect();
    let exchange = |schema: Schema, request: &str, kind: &str, reply: &str, chunk: usize| {
        let schema = schema.as_str();
        format!(
            "exchange{PART}{schema}{PART}{request}{PART}{kind}{PART}{reply}{PART}{chunk}{mappings}"
        )
        .into_bytes()
    };
    let mut inputs = Vec::new();
    for request in vectors::requests() {
        inputs.push(exchange(
            request.schema,
            &request.text,
            "application/json",
            "{}",
            7,
        ));
        inputs.push(format!("detect{PART}{}", request.text).into_bytes());
    }
    for reply in vectors::replies() {
        let kind = reply.content_type();
        inputs.extend(CHUNKS.map(|chunk| exchange(reply.schema, "{}", kind, &reply.text, chunk)));
    }
    inputs
}

/// The outputs of the module, the list of its imports in front.
fn run_in_node(inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let module = std::env::var("PURITY_MODULE").expect("PURITY_MODULE names the module: just wasm");
    let runner = Path::new(env!("CARGO_MANIFEST_DIR")).join("purity/run.mjs");
    let mut node = Command::new("node")
        .arg(runner)
        .arg(module)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut stdin = node.stdin.take().expect("a pipe");
    let framed: Vec<u8> = inputs.iter().flat_map(|input| frame(input)).collect();
    let writer = std::thread::spawn(move || stdin.write_all(&framed));
    let output = node.wait_with_output().expect("node ends");
    writer
        .join()
        .expect("no panic")
        .expect("node reads its input");
    assert!(output.status.success(), "node failed");
    frames(&output.stdout)
}

fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("a small input");
    [length.to_le_bytes().as_slice(), bytes].concat()
}

fn frames(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let (frame, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        frames.push(frame.to_vec());
        bytes = rest;
    }
    frames
}
