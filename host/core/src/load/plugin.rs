use super::describe::DescribedTools;
use super::{LoadedPlugin, Prober, StagedCopy, Staging, check_description, load};
use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::layer::Layer;
use crate::manifest::Manifest;
use crate::registry::{Described, known_unsound, read_described, write_described};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// How plugins of a registry get from a file to code.
#[derive(Debug)]
pub(crate) struct LoadSettings {
    pub(crate) staging: Staging,
    pub(crate) cache_dir: PathBuf,
    pub(crate) prober: Option<Prober>,
}

/// One version of one plugin: its origin and contract, and its code once somebody needs it. Nothing is opened before.
#[derive(Debug)]
pub struct Plugin {
    layer: Layer,
    file: PathBuf,
    generation: u64,
    manifest: Manifest,
    settings: Arc<LoadSettings>,
    described: OnceLock<Result<DescribedTools, Diagnostic>>,
    loaded: OnceLock<Result<LoadedPlugin, Diagnostic>>,
}

impl Plugin {
    pub(crate) fn new(
        layer: Layer,
        file: PathBuf,
        generation: u64,
        manifest: Manifest,
        settings: Arc<LoadSettings>,
    ) -> Plugin {
        Plugin {
            layer,
            file,
            generation,
            manifest,
            settings,
            described: OnceLock::new(),
            loaded: OnceLock::new(),
        }
    }

    /// The layer it was found in.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// The file it was found as.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The digest of that file's bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.manifest.digest
    }

    /// Which loading of the layers it belongs to.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Its checked contract.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// What it says about its tools: from the cache, or from the library, which is first opened in another process.
    /// Blocks on files and processes when it is asked for the first time.
    ///
    /// # Errors
    /// It cannot be opened or its description is refused; the same answer each time.
    pub fn described(&self) -> Result<&DescribedTools, &Diagnostic> {
        self.described.get_or_init(|| self.describe().map_err(|diagnostic| self.named(diagnostic))).as_ref()
    }

    /// What the cache knows of its description, without opening anything. A sound description is only read when it is
    /// `wanted`: start-up has no use for it.
    pub(crate) fn described_so_far(&self, wanted: bool) -> Option<Result<&DescribedTools, &Diagnostic>> {
        if self.described.get().is_none()
            && (wanted || known_unsound(&self.settings.cache_dir, self.digest()))
        {
            let cached = read_described(&self.settings.cache_dir, self.digest())?;
            let checked = cached.and_then(|bytes| check_description(&self.manifest, &bytes));
            let _ = self.described.set(checked.map_err(|diagnostic| self.named(diagnostic)));
        }
        self.described.get().map(Result::as_ref)
    }

    /// Its code in this process, opened when asked for the first time. Blocks on files then.
    ///
    /// # Errors
    /// It cannot be opened; the same answer each time.
    pub fn loaded(&self) -> Result<&LoadedPlugin, &Diagnostic> {
        self.loaded
            .get_or_init(|| {
                // The description comes first: it is what proves in another process that the library can be opened.
                self.described().map_err(Clone::clone)?;
                self.open().map_err(|diagnostic| self.named(diagnostic))
            })
            .as_ref()
    }

    /// Whether its code is in this process.
    pub(crate) fn is_loaded(&self) -> bool {
        matches!(self.loaded.get(), Some(Ok(_)))
    }

    fn open(&self) -> Result<LoadedPlugin, Diagnostic> {
        load(&self.staged()?)
    }

    fn staged(&self) -> Result<StagedCopy, Diagnostic> {
        let staged = self.settings.staging.stage(&self.file, self.digest())?;
        staged.require_contract(&self.manifest.contract)?;
        Ok(staged)
    }

    fn describe(&self) -> Result<DescribedTools, Diagnostic> {
        if let Some(cached) = read_described(&self.settings.cache_dir, self.digest()) {
            return cached.and_then(|bytes| check_description(&self.manifest, &bytes));
        }
        let staged = self.staged()?;
        let bytes = match &self.settings.prober {
            Some(prober) => prober.describe(&staged)?,
            None => load(&staged)?.describe(),
        };
        let checked = check_description(&self.manifest, &bytes);
        // Only what follows from the bytes alone is remembered; a library that is missing today may be there tomorrow.
        let remembered: Described = checked.as_ref().map(|_| bytes).map_err(Clone::clone);
        let sound = checked.as_ref().is_ok_and(|tools| tools.iter().all(Result::is_ok));
        write_described(&self.settings.cache_dir, self.digest(), &remembered, sound);
        checked
    }

    fn named(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.plugin(&self.manifest.contract.plugin.name).file(&self.file)
    }
}
