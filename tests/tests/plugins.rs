//! Plug-in detectors, well-behaved and misbehaving.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{Client, Detecting, ProxyOptions, configuration, maskproxy};
use tokio::time::timeout;

/// Reports the first three bytes of a text.
const FIRST_THREE: &str = "(call $codename (i32.const 0) (i32.const 3))";

/// Allocates a megabyte first.
const HUNGRY: &str = "
    (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))
    (call $codename (i32.const 0) (i32.const 2))";

const LOOPS_FOR_LONG_TEXTS: &str = "
    (loop $again (br_if $again (i32.gt_u (local.get $length) (i32.const 3))))
    (call $codename (i32.const 0) (i32.const 3))";

/// A thousand detections of three bytes, whose types are all the same bytes of memory.
fn thousand_detections(entity: u32, length: u32) -> String {
    format!(
        "
    (local.set $name (i32.const 1000))
    (loop $next
      (local.set $name (i32.sub (local.get $name) (i32.const 1)))
      (drop (call $tell (i32.const 0) (i32.const 3) (i32.const {entity}) (i32.const {length}) (i32.const 90)))
      (memory.copy (i32.add (i32.const 30000) (i32.mul (local.get $name) (i32.const 20))) (i32.const 16) (i32.const 20))
      (br_if $next (local.get $name)))
    (i32.store (i32.const 4) (i32.const 30000))
    (i32.store (i32.const 8) (i32.const 1000))
    (i32.const 0)"
    )
}

/// A component whose `detect` does as the script says.
fn scripted(script: &str) -> Vec<u8> {
    let text = include_str!("../plugins/scripted.wat").replace("(;script;)", script);
    wat::parse_str(text).expect("a component")
}

/// A proxy with a plug-in and the built-in detectors; the folder contains the plug-in.
async fn with(component: &[u8], more: &Value) -> (Detecting, TempDir) {
    let (folder, path) = stored(component);
    (Detecting::start(&detectors(&path, more)).await, folder)
}

fn stored(component: &[u8]) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plugin.wasm");
    std::fs::write(&path, component).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (folder, path)
}

/// The built-in detectors and a plug-in.
fn detectors(path: &str, more: &Value) -> Value {
    let mut plugin = json!({"type": "wasm", "path": path});
    let members = plugin.as_object_mut().expect("an object");
    members.extend(more.as_object().expect("an object").clone());
    json!([{"type": "regex"}, plugin])
}

#[tokio::test]
async fn findings_of_a_plugin_and_the_engine_are_masked_and_restored() {
    let (setup, _folder) = with(&scripted(FIRST_THREE), &json!({})).await;
    let text = "Ann <ann@example.com>";
    let reply = setup.say(text).await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1> <<MASK_EMAIL_2>>");
    let reply: Value = serde_json::from_str(&reply.text()).expect("JSON");
    assert_eq!(reply["choices"][0]["message"]["content"], text);
    assert!(!setup.proxy.written().contains("Ann"));
}

#[tokio::test]
async fn a_misbehaving_plugin_fails_only_the_request() {
    let detection = |start, end, entity, length, score| {
        format!(
            "(call $tell (i32.const {start}) (i32.const {end}) (i32.const {entity}) (i32.const {length}) (i32.const {score}))"
        )
    };
    let answer = |tag, list, length| {
        format!(
            "(i32.store8 (i32.const 0) (i32.const {tag})) (i32.store (i32.const 4) (i32.const {list})) (i32.store (i32.const 8) (i32.const {length})) (i32.const 0)"
        )
    };
    let scripts = [
        ("unreachable", "DetectorTrapped"),
        ("(call $overflow (i32.const 0))", "DetectorTrapped"),
        ("(i32.load (i32.const -4))", "DetectorTrapped"),
        (
            "(loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable",
            "DetectorTrapped",
        ),
        (
            "(loop $for_ever (br $for_ever)) unreachable",
            "DetectorTimeout",
        ),
        (&answer(1, 0, 0), "DetectorGaveUp"),
        (&answer(7, 0, 0), "DetectorUnusable"),
        // Outside of the text, empty, backwards.
        (&detection(0, 12, 64, 8, 90), "DetectorUnusable"),
        (&detection(3, 3, 64, 8, 90), "DetectorUnusable"),
        (&detection(3, 1, 64, 8, 90), "DetectorUnusable"),
        (&detection(-2, -1, 64, 8, 90), "DetectorUnusable"),
        // Invalid types: empty, too long, out of memory bounds, not UTF-8.
        (&detection(0, 3, 64, 0, 90), "DetectorUnusable"),
        (&detection(0, 3, 64, 65, 90), "DetectorUnusable"),
        (&detection(0, 3, -8, 8, 90), "DetectorUnusable"),
        (&detection(0, 3, 64, 8, 101), "DetectorUnusable"),
        // Four billion detections; more than its memory; an answer at no place.
        (&answer(0, 0, -1), "DetectorUnusable"),
        (&answer(0, 0, 4000), "DetectorUnusable"),
        // Types that are little for the component, and 60 MB for the proxy; more detections than bytes.
        (&thousand_detections(0, 60_000), "DetectorUnusable"),
        (&thousand_detections(64, 8), "DetectorUnusable"),
        ("(i32.const -8)", "DetectorUnusable"),
    ];
    for (script, class) in scripts {
        let limit = match class {
            "DetectorTimeout" => json!({"timeout": 0.3}),
            // Failures that need no timeout have enough time, on a slow machine too.
            _ => json!({"timeout": 60}),
        };
        let (setup, _folder) = with(&scripted(script), &limit).await;
        setup.fails_with(class).await;
    }
}

/// Each exchange has a fresh instance, and sees its texts in prompt order.
#[tokio::test]
async fn every_request_has_a_fresh_instance() {
    // The first call reports one byte, the second two.
    let script = "(call $codename (i32.const 0) (global.get $calls))";
    let (setup, _folder) = with(&scripted(script), &json!({})).await;
    for _ in 0..3 {
        let turns =
            json!([{"role": "user", "content": "abcd"}, {"role": "system", "content": "efgh"}]);
        setup.send(&turns).await;
        assert_eq!(
            setup.logged_by_message(),
            ["<MASK_CODENAME_1>bcd", "<MASK_CODENAME_2>gh"]
        );
    }
}

#[tokio::test]
async fn only_configured_types_are_accepted() {
    let more = json!({"entities": ["BADGE"]});
    let (setup, _folder) = with(&scripted(FIRST_THREE), &more).await;
    setup.say("Ann").await;
    assert_eq!(setup.seen(), "Ann");
}

/// Scans that never end hold every place, and only until their time is up.
#[tokio::test]
async fn a_looping_plugin_does_not_block_other_requests() {
    let (setup, _folder) = with(&scripted(LOOPS_FOR_LONG_TEXTS), &json!({"timeout": 2})).await;
    let looping: Vec<_> = (0..8).map(|_| setup.say("a long text")).collect();
    let unrouted = async {
        let url = setup.proxy.url();
        let mut client = Client::connect(&url).await;
        client.request("GET", "/v1/models", &[], b"").await.status
    };
    let (looped, unrouted) = tokio::join!(join_all(looping), unrouted);
    assert!(looped.iter().all(|reply| reply.status == 503));
    assert_ne!(unrouted, 503);
    setup.say("Ann").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>");
}

/// A scan that nobody waits for any more does not run until its timeout.
#[tokio::test]
async fn a_plugin_stops_when_its_client_leaves() {
    let (setup, _folder) = with(&scripted(LOOPS_FOR_LONG_TEXTS), &json!({"timeout": 3000})).await;
    let looping = join_all((0..8).map(|_| setup.say("a long text")));
    let left = timeout(Duration::from_secs(1), looping).await;
    assert!(left.is_err(), "they loop");
    setup.say("Ann").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>");
}

#[tokio::test]
async fn concurrent_requests_share_the_instance_slots() {
    let (setup, _folder) = with(&scripted(FIRST_THREE), &json!({})).await;
    let replies = join_all((0..40).map(|_| setup.say("Ann is here"))).await;
    for reply in replies {
        assert!(reply.text().contains("Ann is here"), "{}", reply.text());
    }
}

/// A proxy with `--reload` and a plug-in, and where that is.
async fn reloading(component: &[u8], more: &Value) -> (Detecting, String, TempDir) {
    let (folder, path) = stored(component);
    let yaml = configuration(&detectors(&path, more));
    let options = ProxyOptions::default().yaml(&yaml).flag("--reload");
    (Detecting::start_with(&options).await, path, folder)
}

#[tokio::test]
async fn a_new_configuration_changes_plugin_limits() {
    let little = json!({"memory": 131_072});
    let (setup, path, _folder) = reloading(&scripted(HUNGRY), &little).await;
    setup.fails_with("DetectorTrapped").await;
    let enough = detectors(&path, &json!({"memory": 4_194_304}));
    setup.proxy.reconfigure(&configuration(&enough));
    setup.proxy.prints("is in use").await;
    setup.say("Ann").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>n");
}

#[tokio::test]
async fn a_new_build_of_a_plugin_takes_over() {
    let (setup, path, _folder) = reloading(&scripted(FIRST_THREE), &json!({})).await;
    setup.say("Uvwx").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>x");
    std::fs::write(&path, scripted(HUNGRY)).expect("written");
    setup.proxy.prints("is in use").await;
    setup.say("Uvwx").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>wx");

    std::fs::write(&path, b"no component").expect("written");
    setup.proxy.prints("is not a WebAssembly file").await;
    setup.say("Uvwx").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>wx");
    std::fs::write(&path, scripted(FIRST_THREE)).expect("written");
    setup.proxy.prints_times("is in use", 2).await;
    setup.say("Uvwx").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>x");
}

#[tokio::test]
async fn an_unusable_new_build_leaves_the_old_plugin_in_use() {
    let (setup, path, folder) = reloading(&scripted(FIRST_THREE), &json!({})).await;
    // Each has its own file: writing to one that is already watched would trigger a report.
    let file = |number: usize| {
        let file = folder.path().join(format!("{number}.wasm"));
        file.to_str().expect("UTF-8").to_owned()
    };
    let imports = wat::parse_str(r#"(component (import "ask" (func)))"#).expect("a component");
    let usual = || json!({});
    let broken = [
        (None, usual(), "can't be read: no such file"),
        (
            Some(b"\x7fELF".to_vec()),
            usual(),
            "is not a WebAssembly file",
        ),
        (Some(imports), usual(), "imports ask"),
        (
            Some(scripted(FIRST_THREE)),
            json!({"memory": 1000}),
            "can't be compiled",
        ),
        (None, json!({"memory": -1}), "must be"),
    ];
    for (number, (component, more, answer)) in broken.into_iter().enumerate() {
        if let Some(component) = component {
            std::fs::write(file(number), component).expect("written");
        }
        let broken = configuration(&detectors(&file(number), &more));
        setup.proxy.reconfigure(&broken);
        setup.proxy.prints_times("stays in use", number + 1).await;
        let printed = setup.proxy.printed();
        let last = printed.lines().rfind(|line| line.contains("stays in use"));
        assert!(last.is_some_and(|line| line.contains(answer)), "{printed}");
        // The running plug-in is in memory, so its file may be deleted.
        let _ = std::fs::remove_file(&path);
        setup.say("Uvwx").await;
        assert_eq!(setup.seen(), "<MASK_CODENAME_1>x");
    }
    assert!(setup.proxy.printed().contains(&file(0)));
    assert!(!setup.proxy.written().contains("Uvw"));
    std::fs::write(file(9), scripted(FIRST_THREE)).expect("written");
    setup
        .proxy
        .reconfigure(&configuration(&detectors(&file(9), &json!({}))));
    setup.proxy.prints("is in use").await;
    setup.say("Uvwx").await;
    assert_eq!(setup.seen(), "<MASK_CODENAME_1>x");
}

#[tokio::test]
async fn invalid_plugins_are_reported_at_start_and_by_doctor() {
    let wasi = r#"(component (import "wasi:clocks/monotonic-clock@0.2.0" (instance (export "now" (func (result u64))))))"#;
    let large = scripted(FIRST_THREE);
    let compiled = |text| wat::parse_str(text).expect("WebAssembly");
    for (component, more, answer) in [
        (b"\x7fELF".to_vec(), json!({}), "is not a WebAssembly file"),
        (
            compiled("(module)"),
            json!({}),
            "is a WebAssembly module; convert it to a component",
        ),
        (
            b"\0asm\x0d\0\x01\0rubbish".to_vec(),
            json!({}),
            "can't be compiled: ",
        ),
        (
            compiled("(component)"),
            json!({}),
            "does not implement the world detector",
        ),
        (
            compiled(r#"(component (import "ask" (func)))"#),
            json!({}),
            "imports ask, but a plug-in must not import anything",
        ),
        (
            compiled(wasi),
            json!({}),
            "imports now of wasi:clocks/monotonic-clock@0.2.0",
        ),
        (
            large.clone(),
            json!({"memory": 1000}),
            "can't be compiled: ",
        ),
        // A part of a page contains nothing.
        (large, json!({"memory": 65535}), "can't be compiled: "),
    ] {
        let (folder, path) = stored(&component);
        let file = folder.path().join("config.yaml");
        std::fs::write(&file, configuration(&detectors(&path, &more))).expect("written");
        let file = file.to_str().expect("UTF-8");
        let (code, _, error) = maskproxy(&["proxy", "--port", "0", "-c", file], "").await;
        assert_eq!(code, Some(1), "{error}");
        assert!(
            error.starts_with("Error: the plug-in ") && error.lines().count() == 1,
            "{error}"
        );
        assert!(error.contains(answer), "{error}");
        let (code, out, _) = maskproxy(&["doctor", "-c", file], "").await;
        assert_eq!(code, Some(1), "{out}");
        assert!(out.contains("✗ plug-in") && out.contains(answer), "{out}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.yaml");
    std::fs::write(
        &file,
        configuration(&detectors("/nowhere/plugin.wasm", &json!({}))),
    )
    .expect("written");
    let file = file.to_str().expect("UTF-8");
    let (code, _, error) = maskproxy(&["detect", "-c", file, "Ann"], "").await;
    assert_eq!(code, Some(1), "{error}");
    assert!(
        error.contains("/nowhere/plugin.wasm can't be read: no such file"),
        "{error}"
    );
}
