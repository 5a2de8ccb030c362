//! `tests/scan/`: texts that judge the shipped rules.
