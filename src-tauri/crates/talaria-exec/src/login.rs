//! What the person's login shell adds: variables, functions, aliases and options.

use crate::backend::{Backend, ExecError, OutputSink, Script};
use crate::child_env::child_env;
use crate::environment::Running;
use crate::{EnvMap, STATE_DESCRIPTOR, state};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio_util::task::TaskTracker;

const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Whether the login shell is asked.
#[derive(Clone, Debug, Default)]
pub enum Login {
    /// Commands start with the variables given.
    #[default]
    Skip,
    /// The login shell is asked once, before the first command.
    Take(LoginShell),
}

/// The answer of a login shell, asked at most once. Share one among all environments of a backend.
#[derive(Clone, Debug, Default)]
pub struct LoginShell {
    taken: Arc<OnceCell<Taken>>,
}

/// What a login shell gave. A failure gives nothing, and commands go on without.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) env: Option<Arc<EnvMap>>,
    /// `None` when there is nothing to source.
    pub(crate) base: Option<Arc<str>>,
}

impl LoginShell {
    pub(crate) fn is_open(&self) -> bool {
        !self.taken.initialized()
    }

    pub(crate) async fn taken(&self, backend: &dyn Backend, env: &Arc<EnvMap>, tracker: &TaskTracker) -> Taken {
        self.taken
            .get_or_init(|| async {
                ask(backend, env, tracker).await.unwrap_or_else(|error| {
                    tracing::warn!(%error, "the login shell gave nothing; commands run without its settings");
                    Taken::default()
                })
            })
            .await
            .clone()
    }
}

async fn ask(backend: &dyn Backend, env: &Arc<EnvMap>, tracker: &TaskTracker) -> Result<Taken, ExecError> {
    let script = Script {
        text: script(),
        login: true,
        env: Some(Arc::clone(env)),
        wants_state: true,
        ..Script::default()
    };
    let process = backend.spawn(script).await?;
    let mut running = Running {
        process: Some(process),
        tracker,
    };
    let exit = tokio::time::timeout(TIME_LIMIT, running.finish(&mut Unread))
        .await
        .map_err(|_| ExecError::Lost {
            reason: format!("the login shell took over {} s", TIME_LIMIT.as_secs()),
        })??;
    running.process = None;
    let incomplete = || ExecError::Lost {
        reason: "the login shell ended early".to_owned(),
    };
    parse(&exit.state.ok_or_else(incomplete)?).ok_or_else(incomplete)
}

/// Greetings of start-up files are nobody's output.
struct Unread;

impl OutputSink for Unread {
    fn bytes(&mut self, _bytes: &[u8]) {}
}

/// Options that change what a script means. The rest is for the prompt.
const OPTIONS: &str =
    "dotglob extglob failglob globstar inherit_errexit lastpipe nocaseglob nocasematch nullglob xpg_echo";

/// Reads the start-up files that the login shell itself left out, then writes exports, options, functions and
/// aliases, each ended by a NUL. Functions are chosen by name, for a line filter would tear definitions apart; names
/// with one leading underscore belong to completion.
fn script() -> String {
    format!(
        r#"set +e
__talaria_first=
for __talaria_f in ~/.bash_profile ~/.bash_login ~/.profile; do
  [ -r "$__talaria_f" ] && {{ __talaria_first=$__talaria_f; break; }}
done
for __talaria_f in ~/.profile ~/.bash_profile ~/.bashrc; do
  [ "$__talaria_f" != "$__talaria_first" ] && [ -r "$__talaria_f" ] && . "$__talaria_f"
done >/dev/null 2>&1 </dev/null
set +e +u +x
{{
  builtin printf '\0'
  builtin export -p
  builtin printf '\0'
  for __talaria_o in {OPTIONS}; do builtin shopt -q "$__talaria_o" && builtin printf '%s ' "$__talaria_o"; done
  builtin printf '\0'
  while builtin read -r _ _ __talaria_f; do
    case $__talaria_f in _[!_]*) ;; *) builtin declare -f -- "$__talaria_f" ;; esac
  done < <(builtin declare -F)
  builtin printf '\0'
  builtin alias -p
  builtin printf '\0'
}} >&{STATE_DESCRIPTOR} 2>/dev/null
exit 0"#
    )
}

fn parse(bytes: &[u8]) -> Option<Taken> {
    let mut parts = bytes.splitn(6, |byte| *byte == 0);
    let (_, exports, options, functions, aliases, _) = (
        parts.next()?,
        parts.next()?,
        parts.next()?,
        parts.next()?,
        parts.next()?,
        parts.next()?,
    );
    let env = state::exports_of(exports)?;
    // Start-up files set providers' keys too.
    let env = child_env(
        env.into_iter()
            .filter(|(name, _)| name != "SHLVL" && name != "PWD" && name != "OLDPWD"),
    );
    let (options, functions, aliases) = (text(options)?, text(functions)?, text(aliases)?);
    let base = if options.is_empty() && functions.is_empty() && aliases.is_empty() {
        None
    } else {
        let set = if options.is_empty() {
            String::new()
        } else {
            format!("shopt -s {options}\n")
        };
        // Options first: functions may be written in the syntax that they allow.
        Some(format!("{set}{functions}\n{aliases}\nshopt -s expand_aliases\nset +e\nset +u\n").into())
    };
    Some(Taken {
        env: Some(Arc::new(env)),
        base,
    })
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().map(str::trim)
}

#[cfg(test)]
mod tests;
