//! `maskproxy session list` and `session prune`.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tests::{Client, Mock, Proxy, ProxyOptions, Redis, Schema, Values, maskproxy};
use tokio::time::sleep;

/// A configuration file for a vault, and an audit file.
fn configured(directory: &TempDir, vault: &str) -> PathBuf {
    let path = directory.path().join("config.yaml");
    let audit = directory.path().join("audit.log");
    let text = format!("vault: {{{vault}}}\naudit: {{path: {}}}\n", audit.display());
    std::fs::write(&path, text).expect("a configuration");
    path
}

fn in_file(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("vault.db");
    configured(directory, &format!("type: sqlite, dsn: {}", path.display()))
}

async fn run(config: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let config = config.to_str().expect("a path");
    let arguments = [&["session"], arguments, &["-c", config]].concat();
    maskproxy(&arguments, "").await
}

async fn list(config: &std::path::Path) -> Value {
    let (code, out, error) = run(config, &["list", "--json"]).await;
    assert_eq!(code, Some(0), "{error}");
    serde_json::from_str(&out).expect("JSON")
}

async fn ask(proxy: &Proxy, session: &str, text: &str) {
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [("authorization", "Bearer k"), ("x-mask-session", session)];
    let body = Schema::ChatStyle.request("echo", text, false).to_string();
    let path = Schema::ChatStyle.path();
    let reply = client
        .request("POST", path, &headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200);
}

/// Cases 224 and 225.
#[tokio::test]
async fn sessions_are_listed_and_pruned_without_a_value() {
    let mock = Mock::start().await;
    let redis = Redis::start().await;
    redis.ask("SET other:key 1").await;
    redis.ask("SET mask:session:0a:damaged 1").await;
    let directories = [tempfile::tempdir(), tempfile::tempdir()];
    let [of_file, of_redis] = directories.map(|directory| directory.expect("a directory"));
    let url = format!("type: redis, redis_url: '{}'", redis.url());
    let check = async |kind: &str, config: PathBuf| {
        let options = ProxyOptions::default().config(&config);
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let values = Values::of(80);
        ask(&proxy, "old", &values.to_string()).await;
        sleep(Duration::from_secs(6)).await;
        ask(&proxy, "new:er", &values.email).await;

        let listed = list(&config).await;
        assert_eq!(listed["vault"], kind);
        let sessions = listed["sessions"].as_array().expect("a list");
        assert_eq!(sessions.len(), 2, "{listed}");
        assert_eq!(
            (&sessions[0]["id"], &sessions[0]["mappings"]),
            (&"new:er".into(), &1.into())
        );
        assert_eq!(
            (&sessions[1]["id"], &sessions[1]["mappings"]),
            (&"old".into(), &5.into())
        );
        assert!(sessions[1]["last_active"].as_str() < sessions[0]["last_active"].as_str());

        let (code, table, _) = run(&config, &["list"]).await;
        assert_eq!(code, Some(0));
        for word in ["new:er", "old", "MAPPINGS", "LAST ACTIVE", "CREATED", kind] {
            assert!(table.contains(word), "{word} in {table}");
        }
        // One client made both.
        let owner = sessions[0]["owner"].as_str().expect("an owner");
        assert_eq!(sessions[1]["owner"], owner);
        assert_eq!(table.matches(&owner[..8]).count(), 2, "{table}");
        // Used again, so that it stays recent however long the commands take.
        ask(&proxy, "new:er", &values.email).await;
        let (_, dry, _) = run(&config, &["prune", "--older-than", "5s", "--dry-run"]).await;
        assert!(
            dry.contains("old") && dry.contains("would delete 1 session"),
            "{dry}"
        );
        assert_eq!(
            list(&config).await["sessions"].as_array().map(Vec::len),
            Some(2)
        );

        ask(&proxy, "new:er", &values.email).await;
        let (code, pruned, _) = run(&config, &["prune", "--older-than", "5s", "--json"]).await;
        assert_eq!(code, Some(0));
        let pruned: Value = serde_json::from_str(&pruned).expect("JSON");
        assert_eq!(pruned["deleted"][0]["id"], "old");
        let left = list(&config).await;
        assert_eq!(left["sessions"].as_array().map(Vec::len), Some(1));
        assert_eq!(left["sessions"][0]["id"], "new:er");
        let trail = config.with_file_name("audit.log");
        let trail = std::fs::read_to_string(trail).expect("an audit file");
        let line = trail.lines().last().expect("a line");
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            (
                &line["event"],
                &line["reason"],
                &line["session_id"],
                &line["mapping_count"]
            ),
            (
                &"session.deleted".into(),
                &"prune".into(),
                &"old".into(),
                &5.into()
            )
        );
        for value in values.all() {
            for text in [&table, &dry, &listed.to_string(), &trail] {
                assert!(!text.contains(value), "{value} is shown");
            }
        }
    };
    tokio::join!(
        check("sqlite", in_file(&of_file)),
        check("redis", configured(&of_redis, &url))
    );
    let others = redis.ask("EXISTS other:key").await;
    assert_eq!(others.as_deref(), Some(":1\r\n"), "only own keys");
}

#[tokio::test]
async fn in_memory_sessions_are_reported_as_inaccessible() {
    for command in [
        &["session", "list"][..],
        &["session", "prune", "--older-than", "7d"],
    ] {
        let (code, out, error) = maskproxy(command, "").await;
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(
            error.contains("exist only in the proxy's process"),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1);
    }
}

#[tokio::test]
async fn a_missing_vault_is_empty_and_is_not_created() {
    let directory = tempfile::tempdir().expect("a directory");
    let config = in_file(&directory);
    assert_eq!(list(&config).await["sessions"], serde_json::json!([]));
    assert!(!directory.path().join("vault.db").exists());
}

#[tokio::test]
async fn a_bad_duration_shows_the_expected_form() {
    let directory = tempfile::tempdir().expect("a directory");
    let config = in_file(&directory);
    for arguments in [&["prune"][..], &["prune", "--older-than", "seven days"]] {
        let (code, _, error) = run(&config, arguments).await;
        assert_eq!(code, Some(2), "{error}");
    }
}

/// Every session is listed, without a question for each.
#[tokio::test]
async fn many_sessions_are_listed_at_once() {
    let redis = Redis::start().await;
    let fill = "for i = 1, 10000 do redis.call('HSET', 'mask:session:0a:s' .. i, 'v', '1', 'c', '1000', 'a', '2000', 'n', '0') end";
    redis
        .ask(&format!("EVAL \"{fill}\" 0"))
        .await
        .expect("filled");
    let directory = tempfile::tempdir().expect("a directory");
    let url = format!("type: redis, redis_url: '{}'", redis.url());
    let config = configured(&directory, &url);
    redis.ask("CONFIG RESETSTAT").await;
    let listed = list(&config).await;
    let stats = redis.ask("INFO stats").await.expect("statistics");
    let reads = stats
        .lines()
        .find_map(|line| line.strip_prefix("total_reads_processed:"));
    let reads: u32 = reads.expect("known").trim().parse().expect("a number");
    assert!(reads < 1000, "{reads}");
    assert_eq!(listed["sessions"].as_array().map(Vec::len), Some(10_000));
}
