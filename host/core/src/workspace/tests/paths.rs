//! Paths as text: what `resolve` accepts and what errors say.

use std::path::Path;

use super::{Fixture, code};
use crate::workspace_under_test::{ErrorClass, Workspace, WorkspaceError};

#[track_caller]
fn check(path: &str, expected: &str) {
    let fixture = Fixture::new();
    let path = path.replace("ROOT", fixture.root.to_str().unwrap()).replace("OUTSIDE", fixture.outside_str());
    let shown = match fixture.workspace.resolve(&path) {
        Ok(relative) => relative.to_string(),
        Err(error) => error.code().to_owned(),
    };
    assert_eq!(shown, expected, "{path}");
}
