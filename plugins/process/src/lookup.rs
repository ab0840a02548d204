use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The file that a program's name stands for: the first executable file of that name in the directories of `PATH`. A
/// name with a directory in it stands for itself, if there is such a file.
///
/// Starting a program by its path lets the system use its cheap way of spawning, whatever the size of the host.
#[must_use]
pub fn find_program(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let name = Path::new(name.as_ref());
    if name.components().count() != 1 {
        return is_executable(name).then(|| name.to_owned());
    }
    // An empty part of PATH means the working directory, where programs come from whoever wrote the workspace.
    env::split_paths(&env::var_os("PATH")?)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| candidates(&directory, name))
        .find(|file| is_executable(file))
}

#[cfg(unix)]
fn candidates(directory: &Path, name: &Path) -> Vec<PathBuf> {
    vec![directory.join(name)]
}

#[cfg(not(unix))]
fn candidates(directory: &Path, name: &Path) -> Vec<PathBuf> {
    let plain = directory.join(name);
    vec![plain.with_extension("exe"), plain]
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn programs_are_found_in_path_and_nowhere_else() {
        assert!(find_program("sh").unwrap().is_absolute());
        assert_eq!(find_program("/bin/sh"), Some(PathBuf::from("/bin/sh")));
        assert_eq!(find_program("no-such-program-here"), None);
        assert_eq!(find_program("Cargo.toml"), None, "not the working directory");
        assert_eq!(find_program("/etc/passwd"), None, "not executable");
        assert_eq!(find_program(""), None);
    }
}
