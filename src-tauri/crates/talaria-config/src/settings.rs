//! The settings of a running program: read when they change, written one key at a time.

use crate::config::Config;
use crate::edit;
use crate::env::Env;
use crate::error::{ConfigError, Warning};
use crate::file;
use crate::home::Home;
use crate::keys::{self, Checked, Scope};
use crate::layers::{self, Layer, Loaded, shown};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A folder that a session works in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder.
    pub dir: PathBuf,
    /// Whether the person trusts it. Until then its file may set only toolsets, the working folder, ignore rules and
    /// model hints: a cloned repository is not its reader.
    pub trusted: bool,
}

/// Settings of one home. Clones share what was read.
#[derive(Clone, Debug)]
pub struct Settings {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    home: Home,
    env: Env,
    user: Mutex<UserFile>,
}

/// The last good copy of the person's file.
#[derive(Clone, Debug, Default)]
struct UserFile {
    stamp: Option<Stamp>,
    tree: Arc<Value>,
    /// Why the newest state of the file is not this copy.
    failure: Option<String>,
}

/// What tells two states of a file apart without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
}

impl Settings {
    /// Reads the person's file. A missing one is no failure; one that is no YAML is, with line and column.
    pub fn open(home: Home, env: Env) -> Result<Self, ConfigError> {
        let stamp = stamp(&home.config_file())?;
        let tree = if stamp.is_some() {
            read_tree(&home.config_file())?
        } else {
            Value::Null
        };
        let user = UserFile {
            stamp,
            tree: Arc::new(tree),
            failure: None,
        };
        Ok(Self {
            inner: Arc::new(Inner {
                home,
                env,
                user: Mutex::new(user),
            }),
        })
    }

    /// As [`Settings::open`], but a file that cannot be read leaves the defaults in force, with a warning that says so.
    pub fn open_or_defaults(home: Home, env: Env) -> Self {
        match Self::open(home.clone(), env.clone()) {
            Ok(settings) => settings,
            Err(error) => {
                let user = UserFile {
                    stamp: stamp(&home.config_file()).ok().flatten(),
                    tree: Arc::new(Value::Null),
                    failure: Some(error.to_string()),
                };
                Self {
                    inner: Arc::new(Inner {
                        home,
                        env,
                        user: Mutex::new(user),
                    }),
                }
            }
        }
    }

    /// The home these are the settings of.
    pub fn home(&self) -> &Home {
        &self.inner.home
    }

    /// The settings in force for a session: `session` is a tree of its own overrides, or null. If the person's file
    /// has become unreadable meanwhile, the last good copy stands and a warning says so.
    pub fn load(&self, project: Option<&Project>, session: &Value) -> Loaded {
        let user = self.refreshed();
        let config_file = self.inner.home.config_file();
        let mut failures = Vec::new();
        if let Some(text) = &user.failure {
            failures.push(Warning {
                source: config_file.display().to_string(),
                key: String::new(),
                text: format!("{text}; the settings read before stay in force"),
            });
        }
        let project_tree = project.and_then(|project| match project_tree(project, &config_file) {
            Ok(found) => found.map(|(path, tree)| (path, tree, project.trusted)),
            Err(error) => {
                failures.push(Warning {
                    source: project_file(project).display().to_string(),
                    key: String::new(),
                    text: format!("{error}; ignored"),
                });
                None
            }
        });
        let mut files = vec![Layer {
            source: config_file.display().to_string(),
            tree: &user.tree,
            scope: Scope::Person,
        }];
        if let Some((path, tree, trusted)) = &project_tree {
            let scope = if *trusted { Scope::Person } else { Scope::Project };
            files.push(Layer {
                source: path.display().to_string(),
                tree,
                scope,
            });
        }
        let session = Layer {
            source: "this session".to_owned(),
            tree: session,
            scope: Scope::Person,
        };
        let mut loaded = layers::resolve(&files, &self.inner.env, &session);
        loaded.warnings.splice(0..0, failures);
        loaded
    }

    /// The settings without a project and a session.
    pub fn config(&self) -> Config {
        self.load(None, &Value::Null).config
    }

    /// Writes one setting into the person's file and changes nothing else in it; null takes it out. Gives the settings
    /// in force afterwards, which an environment variable may still override.
    pub fn set(&self, key: &str, value: &Value) -> Result<Loaded, ConfigError> {
        check(key, value)?;
        let home = &self.inner.home;
        let path = home.config_file();
        home.create()?;
        let lock = file::lock(home.path());
        let text = file::read(&path)?.unwrap_or_default();
        let tree = parse(&path, &text)?;
        let changed = edit::set(&text, &tree, key, value).ok_or_else(|| ConfigError::Uneditable {
            path: path.clone(),
            key: key.to_owned(),
        })?;
        if changed != text {
            file::replace(&path, &changed)?;
        }
        drop(lock);
        // Two changes within one tick of the clock may leave the same stamp, so take what was written.
        let tree = Arc::new(parse(&path, &changed)?);
        *self.user() = UserFile {
            stamp: stamp(&path)?,
            tree,
            failure: None,
        };
        Ok(self.load(None, &Value::Null))
    }

    fn user(&self) -> MutexGuard<'_, UserFile> {
        self.inner.user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the file again if it changed.
    fn refreshed(&self) -> UserFile {
        let path = self.inner.home.config_file();
        let mut user = self.user();
        let read = stamp(&path).and_then(|now| {
            let changed = now != user.stamp;
            user.stamp = now;
            match (changed, now) {
                (false, _) => Ok(None),
                (true, None) => Ok(Some(Value::Null)),
                (true, Some(_)) => read_tree(&path).map(Some),
            }
        });
        match read {
            Ok(None) => {}
            Ok(Some(tree)) => {
                user.tree = Arc::new(tree);
                user.failure = None;
            }
            Err(error) => user.failure = Some(error.to_string()),
        }
        user.clone()
    }
}

fn check(key: &str, value: &Value) -> Result<(), ConfigError> {
    if value.is_null() {
        return Ok(());
    }
    let known = if key == "model" && value.is_string() {
        "model.default"
    } else {
        key
    };
    let Some(known) = keys::find(known) else {
        let nearest = keys::nearest(key).map(str::to_owned);
        return Err(ConfigError::UnknownKey {
            key: key.to_owned(),
            nearest,
        });
    };
    match known.kind.check(value) {
        Checked::Fits(_) => Ok(()),
        Checked::Instead(_, expected) | Checked::Wrong(expected) => Err(ConfigError::BadValue {
            key: key.to_owned(),
            expected,
            got: shown(value),
        }),
    }
}

fn stamp(path: &Path) -> Result<Option<Stamp>, ConfigError> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(Some(Stamp {
            len: meta.len(),
            modified: meta.modified().ok(),
        })),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(ConfigError::unreadable(path, error)),
    }
}

fn read_tree(path: &Path) -> Result<Value, ConfigError> {
    match file::read(path)? {
        Some(text) => parse(path, &text),
        None => Ok(Value::Null),
    }
}

fn project_file(project: &Project) -> PathBuf {
    project.dir.join(".talaria").join("config.yaml")
}

/// The project's file. In the person's own folder that is the person's file, which is read already.
fn project_tree(project: &Project, config_file: &Path) -> Result<Option<(PathBuf, Value)>, ConfigError> {
    let path = project_file(project);
    if path == config_file {
        return Ok(None);
    }
    match file::read(&path)? {
        Some(text) => Ok(Some((path.clone(), parse(&path, &text)?))),
        None => Ok(None),
    }
}

/// Reads YAML into a tree. An empty file is an empty tree.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Value, ConfigError> {
    let bad = |line, column, detail: String| ConfigError::NotYaml {
        path: path.to_owned(),
        line,
        column,
        detail,
    };
    let text = text.trim_start_matches('\u{FEFF}');
    match serde_saphyr::from_str::<Value>(text) {
        Ok(tree @ (Value::Null | Value::Object(_))) => Ok(tree),
        Ok(other) => Err(bad(1, 1, format!("expected a map of settings, got {}", shown(&other)))),
        Err(error) => {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            // The rendered error quotes the file; a key may stand there.
            let detail = error.without_snippet().to_string();
            Err(bad(line, column, detail.lines().next().unwrap_or_default().to_owned()))
        }
    }
}

#[cfg(test)]
mod tests;
