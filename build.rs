//! The program is linked at a fixed address where that is usual: a third of the time of a short call would go into moving it to another.

#[expect(
    clippy::disallowed_methods,
    reason = "so Cargo says what it builds for"
)]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PROMPTC_PIE");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    let usual = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if usual && !is("PROMPTC_PIE", "1") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
