use super::*;
use std::fs;

fn layer(directory: &tempfile::TempDir) -> LayerDir {
    LayerDir { layer: Layer::Global, path: directory.path().join("tools"), prefix: None }
}

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("tools")).unwrap();
    directory
}

fn names(found: &Discovered) -> Vec<String> {
    found.candidates.iter().map(|c| c.file.file_name().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn l4_a_missing_layer_is_empty_and_one_that_is_no_directory_a_diagnostic() {
    let directory = tempfile::tempdir().unwrap();
    let missing = discover(&layer(&directory));
    assert!(missing.candidates.is_empty() && missing.refused.is_empty());
    fs::write(directory.path().join("tools"), "").unwrap();
    assert_eq!(discover(&layer(&directory)).refused[0].message, "a layer is a directory, this is not");
}

#[test]
fn l2_library_files_are_entries_and_other_files_are_not() {
    let directory = directory();
    let tools = directory.path().join("tools");
    for name in ["liba.so", "b.dll", "libc.dylib", "README.md", "liba.so.1", "noext", ".hidden"] {
        fs::write(tools.join(name), "x").unwrap();
    }
    assert_eq!(names(&discover(&layer(&directory))), ["b.dll", "liba.so", "libc.dylib"]);
    let bundled = LayerDir { prefix: Some("b"), ..layer(&directory) };
    assert_eq!(names(&discover(&bundled)), ["b.dll"]);
}

#[test]
fn l2_a_folder_names_the_library_for_each_platform() {
    let directory = directory();
    let folder = directory.path().join("tools/greeter");
    fs::create_dir(&folder).unwrap();
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    fs::write(folder.join("libg.so"), "x").unwrap();
    let describe = |text: String| fs::write(folder.join("tool.toml"), text).unwrap();
    describe(format!("[library]\n{platform} = \"libg.so\""));
    assert_eq!(names(&discover(&layer(&directory))), ["libg.so"]);
    for (text, says) in [
        ("[library]\nplan9-mips = \"x.so\"".to_owned(), format!("names no library for {platform}")),
        (format!("[library]\n{platform} = \"../x.so\""), "is not the name of a file".to_owned()),
        (format!("[library]\n{platform} = \"none.so\""), "cannot be read".to_owned()),
        ("[libary]".to_owned(), "unknown field".to_owned()),
    ] {
        describe(text);
        let found = discover(&layer(&directory));
        assert!(found.candidates.is_empty());
        assert!(found.refused[0].message.contains(&says), "{} / {says}", found.refused[0].message);
    }
}

#[cfg(unix)]
#[test]
fn l4_what_is_only_named_like_a_library_is_told_apart_and_hides_nothing() {
    use std::os::unix::fs::symlink;
    let directory = directory();
    let tools = directory.path().join("tools");
    fs::write(tools.join("good.so"), "x").unwrap();
    fs::write(directory.path().join("outside.so"), "x").unwrap();
    fs::create_dir(tools.join("dir.so")).unwrap();
    symlink("nowhere", tools.join("dangling.so")).unwrap();
    symlink("../outside.so", tools.join("outward.so")).unwrap();
    symlink("good.so", tools.join("inward.so")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, tools.join("pipe.so"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    let found = discover(&layer(&directory));
    assert_eq!(names(&found), ["good.so", "inward.so"]);
    let refused: Vec<String> = found.refused.iter().map(|d| d.message.clone()).collect();
    assert_eq!(refused.len(), 4, "{refused:?}");
    for (message, says) in
        refused.iter().zip(["leads nowhere", "is a directory", "leads out of its layer", "a pipe"])
    {
        assert!(message.contains(says), "{message} / {says}");
    }
    assert!(found.refused.iter().all(|d| d.file.is_some() && !d.remedy.is_empty()));
}

#[cfg(unix)]
#[test]
fn l5_what_others_may_write_is_refused_with_the_chmod_that_mends_it() {
    use std::os::unix::fs::PermissionsExt;
    let directory = directory();
    let tools = directory.path().join("tools");
    let set = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    for name in ["a.so", "b.so", "c.so"] {
        fs::write(tools.join(name), "x").unwrap();
    }
    set(&tools.join("a.so"), 0o666);
    set(&tools.join("b.so"), 0o664);
    set(&tools.join("c.so"), 0o644);
    let found = discover(&layer(&directory));
    assert_eq!(names(&found), ["c.so"]);
    assert!(found.refused[0].message.starts_with("everyone may write it"), "{:?}", found.refused);
    assert!(found.refused[1].message.starts_with("its group may write it"));
    assert!(found.refused[0].remedy.starts_with("chmod go-w"));
    set(&tools, 0o777);
    let found = discover(&layer(&directory));
    assert!(found.candidates.is_empty() && found.refused.len() == 1);
    assert!(found.refused[0].remedy.contains("tools"));
}
