//! Behaviour that all commands share.

use tests::maskproxy;

#[tokio::test]
async fn a_misspelled_tool_gets_a_suggestion() {
    let (status, _, errors) = maskproxy(&["run", "cluade"], "").await;
    assert_eq!(status, Some(2));
    assert!(errors.contains("did you mean 'claude'?"), "{errors}");
}

/// The suggestion was `audit`.
#[tokio::test]
async fn a_tool_without_run_gets_a_suggestion() {
    let (status, _, errors) = maskproxy(&["claude", "-p", "hi"], "").await;
    assert_eq!(status, Some(2));
    assert!(errors.contains("'run claude'"), "{errors}");
}

#[tokio::test]
async fn help_lists_the_commands_and_version_prints_the_version() {
    let (status, help, _) = maskproxy(&["--help"], "").await;
    assert_eq!(status, Some(0));
    assert!(help.contains("proxy") && help.contains("detect"), "{help}");
    let (_, version, _) = maskproxy(&["--version"], "").await;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}

#[tokio::test]
async fn a_bad_live_page_port_gets_advice() {
    for given in ["abc", "127.0.0.1:8001", "70000", ""] {
        for command in [&["proxy"][..], &["run", "claude"]] {
            let arguments = [command, &["--ui", given]].concat();
            let (status, _, errors) = maskproxy(&arguments, "").await;
            assert_eq!(status, Some(2), "{given}: {errors}");
            assert!(errors.contains("give a port from 1 to 65535"), "{errors}");
        }
    }
}
