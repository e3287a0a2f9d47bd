//! A proxy with other detectors.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::client::{Client, Reply};
use crate::mock::Mock;
use crate::proxy::{Proxy, ProxyOptions};

const PATH: &str = "/v1/chat/completions";

/// The rest of a test must not hang with a detector.
const PATIENCE: Duration = Duration::from_mins(1);

/// A proxy in front of a mock provider, with detectors of the test.
#[derive(Debug)]
pub struct Detecting {
    /// The provider.
    pub mock: Mock,
    /// The proxy.
    pub proxy: Proxy,
}

impl Detecting {
    /// Starts both. `detector` is the setting of that name.
    pub async fn start(detector: &Value) -> Self {
        Self::start_with(&ProxyOptions::default().yaml(&configuration(detector))).await
    }

    /// Starts both, the proxy with options.
    pub async fn start_with(options: &ProxyOptions) -> Self {
        let mock = Mock::start().await;
        let proxy = Proxy::start_with(&mock.url(), options).await;
        Self { mock, proxy }
    }

    /// Has the proxy's client say something.
    pub async fn say(&self, text: &str) -> Reply {
        self.send(&json!([{"role": "user", "content": text}])).await
    }

    /// Sends messages through the proxy.
    pub async fn send(&self, messages: &Value) -> Reply {
        let request = json!({"model": "echo", "messages": messages});
        let url = self.proxy.url();
        let reply = timeout(PATIENCE, Client::post(&url, PATH, &request)).await;
        reply.expect("an answer")
    }

    /// What the provider got in the last message of the last request.
    #[must_use]
    pub fn seen(&self) -> String {
        self.logged_by_message().pop().expect("a message")
    }

    /// What the provider got last, by message.
    #[must_use]
    pub fn logged_by_message(&self) -> Vec<String> {
        let body = self.mock.last().json();
        let messages = body["messages"].as_array().expect("messages").iter();
        let texts = messages.map(|message| message["content"].as_str().expect("text").to_owned());
        texts.collect()
    }

    /// Asserts that a request fails because it can't be scanned, in this way.
    pub async fn fails_with(&self, class: &str) {
        let before = self.mock.requests().len();
        let reply = self.say("Ann is here").await;
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert!(
            reply.text().contains("mask_scan_failed") && !reply.text().contains("Ann"),
            "{}",
            reply.text()
        );
        assert_eq!(reply.header("x-should-retry"), Some("false"));
        assert_eq!(self.mock.requests().len(), before, "nothing is forwarded");
        let errors = self.proxy.audited("proxy.error", 1).await;
        let error = errors.last().expect("one");
        assert_eq!(error["error_type"], class);
        assert_eq!(error["code"], "mask_scan_failed");
        assert!(!self.proxy.written().contains("Ann"));
    }
}

/// A configuration with these detectors, which is YAML and so may be JSON.
#[must_use]
pub fn configuration(detector: &Value) -> String {
    json!({"detector": detector}).to_string()
}
