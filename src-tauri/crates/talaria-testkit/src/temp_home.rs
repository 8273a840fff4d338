//! A home folder of Talaria that ends with the test.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary folder with a home for Talaria, a home for the person and room for projects. Dropping it removes all.
#[derive(Debug)]
pub struct TempHome {
    folder: TempDir,
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TempHome {
    /// An empty home without a configuration.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("talaria-test-")
            .tempdir()
            .expect("a temporary folder can be made");
        let home = Self { folder };
        for path in [home.path(), home.person()] {
            fs::create_dir_all(path).expect("a folder can be made");
        }
        home
    }

    /// A home whose configuration names a model server.
    pub fn with_model(base_url: &str) -> Self {
        let home = Self::new();
        home.write_config(&format!(
            "model:\n  provider: custom\n  default: scripted\n  base_url: {base_url}\n"
        ));
        home
    }

    /// What `TALARIA_HOME` should be.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// What `HOME` should be: the person's home, apart from Talaria's.
    pub fn person(&self) -> PathBuf {
        self.folder.path().join("person")
    }

    /// Variables for a program that runs on this home.
    pub fn env(&self) -> [(&'static str, PathBuf); 2] {
        [("TALARIA_HOME", self.path()), ("HOME", self.person())]
    }

    /// Writes `config.yaml`.
    pub fn write_config(&self, yaml: &str) {
        fs::write(self.path().join("config.yaml"), yaml).expect("the configuration can be written");
    }

    /// Makes a project folder beside the home with these files; gives its path with links resolved.
    pub fn project<'a>(&self, name: &str, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> PathBuf {
        let project = self.folder.path().join(name);
        fs::create_dir_all(&project).expect("a folder can be made");
        for (path, text) in files {
            write(&project.join(path), text);
        }
        project.canonicalize().expect("a folder that exists has a real path")
    }

    /// Copies a folder, such as a fixture, as a project.
    pub fn project_from(&self, name: &str, template: &Path) -> PathBuf {
        let project = self.project(name, []);
        copy(template, &project);
        project
    }
}

fn write(path: &Path, text: &str) {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).expect("a folder can be made");
    }
    fs::write(path, text).expect("a file can be written");
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the template can be read") {
        let entry = entry.expect("the template can be read");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("a folder can be made");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

#[cfg(test)]
mod tests;
