"""The official SDK through Envoy: the same tests that the native proxy passes."""

from test_anthropic import *  # noqa: F403
