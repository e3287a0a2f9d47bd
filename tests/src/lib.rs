//! End-to-end tests: real clients, real servers, vectors that every host runs.
