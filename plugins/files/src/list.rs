use crate::size::{counted, size};
use stud_plugin_api::prelude::*;
use stud_plugin_api::{DirEntry, EntryKind, Files};

/// Entries shown at most, all directories together: some 10,000 tokens.
const MAX_SHOWN: usize = 1000;
/// Entries shown of one directory below the first, so that one full of files does not hide its neighbours.
const MAX_SHOWN_BELOW: usize = 100;

fn key(arguments: &list_directory) -> String {
    stud_plugin_api::approval::directory(&arguments.path)
}

/// Lists a directory: directories first, with a slash behind their names, then files with their sizes, hidden ones
/// too. To find files by name anywhere, use search_files.
#[tool(
    side_effects = "read",
    category = "files",
    other_names("list_dir", "list_files"),
    approval_key = key,
    examples({}, {"path": "src", "depth": 3})
)]
pub fn list_directory(
    ctx: &Context,
    /// The directory, relative to the workspace root. Default: the root.
    #[arg(alias("file", "filePath"), default = ".")]
    path: String,
    /// How many levels to list: 1 is the directory itself. Default 1.
    #[arg(min = 1, max = 8)]
    depth: Option<u32>,
) -> Result<String> {
    let mut listing = Listing::new(ctx, depth.unwrap_or(1).clamp(1, 8));
    // A directory that was named has to be there; those below it may vanish meanwhile.
    let entries = listing.files.list(&path)?;
    if entries.is_empty() {
        return Ok(format!("[`{path}` is empty]"));
    }
    listing.add(&path, entries, 1)?;
    Ok(listing.finish())
}

struct Listing<'a> {
    ctx: &'a Context,
    files: Files<'a>,
    depth: u32,
    out: String,
    shown: usize,
    directories: u64,
    others: u64,
    /// Directories that would have been listed, had there been room.
    unopened: u64,
}

impl<'a> Listing<'a> {
    fn new(ctx: &'a Context, depth: u32) -> Listing<'a> {
        Listing {
            ctx,
            files: ctx.files(),
            depth,
            out: String::new(),
            shown: 0,
            directories: 0,
            others: 0,
            unopened: 0,
        }
    }

    fn add(&mut self, path: &str, mut entries: Vec<DirEntry>, level: u32) -> Result<()> {
        self.ctx.check_cancelled()?;
        entries.sort_by_key(|entry| entry.kind != EntryKind::Directory);
        let room = MAX_SHOWN.saturating_sub(self.shown);
        let most = if level == 1 { room } else { room.min(MAX_SHOWN_BELOW) };
        let hidden = entries.len().saturating_sub(most);
        for entry in &entries {
            let directory = entry.kind == EntryKind::Directory;
            self.directories += u64::from(directory);
            self.others += u64::from(!directory);
        }
        for entry in entries.iter().take(most) {
            self.shown += 1;
            self.indent(level);
            self.entry(entry);
            if entry.kind != EntryKind::Directory || level == self.depth {
                continue;
            }
            // Those below a directory shown before may have used up the room.
            if self.shown >= MAX_SHOWN {
                self.unopened += 1;
            } else {
                self.below(&format!("{path}/{}", entry.name), &entry.name, level)?;
            }
        }
        if hidden > 0 {
            self.indent(level);
            self.out
                .push_str(&format!("[{} not shown]\n", counted(hidden as u64, "more entry", "more entries")));
        }
        Ok(())
    }

    fn below(&mut self, path: &str, name: &str, level: u32) -> Result<()> {
        // Thousands of objects that nobody wants to see. Listing `.git` itself shows them.
        if name == ".git" {
            return Ok(());
        }
        match self.files.list(path) {
            Ok(entries) => self.add(path, entries, level + 1),
            Err(error) if error.class() == stud_plugin_api::ErrorClass::Cancelled => Err(error),
            Err(error) => {
                self.indent(level + 1);
                self.out.push_str(&format!("[cannot be listed: {}]\n", error.message()));
                Ok(())
            }
        }
    }

    fn indent(&mut self, level: u32) {
        (1..level).for_each(|_| self.out.push_str("  "));
    }

    fn entry(&mut self, entry: &DirEntry) {
        // A line break in a name must not look like another entry.
        self.out.extend(entry.name.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }));
        match entry.kind {
            EntryKind::Directory => self.out.push('/'),
            EntryKind::File => self.out.push_str(&format!("  {}", size(entry.size))),
            EntryKind::Symlink => self.out.push_str("  (link)"),
            EntryKind::Other => self.out.push_str("  (pipe, socket or device)"),
        }
        self.out.push('\n');
    }

    fn finish(mut self) -> String {
        let directories = counted(self.directories, "directory", "directories");
        let others = counted(self.others, "file", "files");
        self.ctx.metadata("directories", self.directories);
        self.ctx.metadata("files", self.others);
        let unopened = match self.unopened {
            0 => String::new(),
            n => format!(
                "; {} not looked into: list them by themselves",
                counted(n, "directory", "directories")
            ),
        };
        self.out.push_str(&format!("[{directories}, {others}{unopened}]\n"));
        self.out
    }
}
