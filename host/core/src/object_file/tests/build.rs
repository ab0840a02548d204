//! Real libraries for the tests, built with the compiler that builds the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A library as an author's would be: the standard library inside, thread-local data, a section with a contract.
const PLUGIN: &str = r#"
#[repr(C)]
pub struct Part([u8; 64]);
#[used]
#[unsafe(link_section = "stud_contract")]
pub static CONTRACT: Part = Part([b'c'; 64]);
thread_local! { static CALLS: std::cell::Cell<u32> = const { std::cell::Cell::new(5) }; }
#[unsafe(no_mangle)]
pub extern "C" fn stud_entry() -> *const Part {
    CALLS.set(CALLS.get() + 1);
    println!("{:?}", std::env::args().collect::<Vec<_>>().join(","));
    &CONTRACT
}
"#;

/// Opens changed copies of a library, one after the other, and says of each that it lived.
///
/// Reads lines of `offset:byte` pairs, the changes to one copy; writes `ok` or `refused` for each.
const OPENER: &str = r#"
use std::io::{BufRead, Write};
use std::os::fd::{AsRawFd, FromRawFd};
unsafe extern "C" {
    fn dlopen(path: *const i8, flags: i32) -> *mut u8;
    fn dlclose(handle: *mut u8) -> i32;
    fn memfd_create(name: *const i8, flags: u32) -> i32;
}
fn main() {
    let original = std::fs::read(std::env::args().nth(1).unwrap()).unwrap();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let mut bytes = original.clone();
        for change in line.unwrap().split_whitespace() {
            let (at, byte) = change.split_once(':').unwrap();
            bytes[at.parse::<usize>().unwrap()] = byte.parse().unwrap();
        }
        let mut file = unsafe { std::fs::File::from_raw_fd(memfd_create(c"plugin".as_ptr(), 0)) };
        file.write_all(&bytes).unwrap();
        let path = std::ffi::CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
        // Everything bound at once, not visible to others: as the host opens plugins.
        let handle = unsafe { dlopen(path.as_ptr(), 2) };
        if !handle.is_null() {
            unsafe { dlclose(handle) };
        }
        writeln!(out, "{}", if handle.is_null() { "refused" } else { "ok" }).unwrap();
        out.flush().unwrap();
    }
}
"#;

/// The files built once for all tests of this run.
pub(super) struct Built {
    /// As released: optimised, without symbols.
    pub(super) stripped: Vec<u8>,
    /// As in daily work: with symbols and debug information.
    pub(super) debug: Vec<u8>,
    /// Where the stripped one lies, for the opener.
    pub(super) stripped_path: PathBuf,
    /// The program that opens changed copies.
    pub(super) opener: PathBuf,
}

pub(super) fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        // Beside the test program: built anew with each run, and gone with `cargo clean`.
        let dir = std::env::current_exe().unwrap().with_extension("object-files");
        std::fs::create_dir_all(&dir).unwrap();
        let lib = ["--crate-type", "cdylib"];
        let stripped_path = rustc(&dir, "stripped.so", PLUGIN, &lib, &["-O", "-Cstrip=symbols"]);
        let debug_path = rustc(&dir, "debug.so", PLUGIN, &lib, &["-g"]);
        let opener = rustc(&dir, "opener", OPENER, &[], &[]);
        let (stripped, debug) = (std::fs::read(&stripped_path).unwrap(), std::fs::read(debug_path).unwrap());
        Built { stripped, debug, stripped_path, opener }
    })
}

/// Builds one more plugin, for tests of special cases.
pub(super) fn plugin(name: &str, source: &str, options: &[&str]) -> Vec<u8> {
    let dir = built().opener.parent().unwrap();
    std::fs::read(rustc(dir, name, source, &["--crate-type", "cdylib"], options)).unwrap()
}

fn rustc(dir: &Path, name: &str, source: &str, kind: &[&str], options: &[&str]) -> PathBuf {
    // Test programs that run at the same time build the same files: each its own, then an atomic rename.
    let own = format!("{name}.{}", std::process::id());
    let (source_path, built, path) = (dir.join(format!("{own}.rs")), dir.join(own), dir.join(name));
    std::fs::write(&source_path, source).unwrap();
    // The wrapper that cargo may have been told to use is not for this.
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(compiler)
        .args(["--edition", "2024", "--crate-name", "fixture", "-A", "warnings", "-o"])
        .arg(&built)
        .args(kind)
        .args(options)
        .arg(&source_path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(source_path).unwrap();
    std::fs::rename(built, &path).unwrap();
    path
}

/// A small deterministic generator (xorshift), so that a failure can be seen again.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}
