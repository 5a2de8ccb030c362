//! The gateways of `docs/sessions.md`, run as they are shown.
