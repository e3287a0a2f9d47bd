//! Behaviour that all commands share.

use tests::maskproxy;

#[tokio::test]
async fn help_lists_the_commands_and_version_the_version() {
    let (status, help, _) = maskproxy(&["--help"], "").await;
    assert_eq!(status, Some(0));
    assert!(help.contains("proxy") && help.contains("detect"), "{help}");
    let (_, version, _) = maskproxy(&["--version"], "").await;
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}
