use super::*;
use crate::LocalBackend;
use std::path::PathBuf;
use tempfile::TempDir;

/// An environment in a folder of its own.
struct Place {
    folder: TempDir,
    environment: Environment,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let options = EnvironmentOptions::new(root.to_str().unwrap());
        let environment = Environment::new(Arc::new(LocalBackend::new()), options);
        Self {
            folder,
            environment,
        }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    async fn run(&self, command: &str) -> CommandResult {
        self.with(RunRequest::new(command)).await
    }

    async fn with(&self, request: RunRequest<'_>) -> CommandResult {
        self.environment
            .run(request, &CancellationToken::new())
            .await
            .unwrap()
    }

    async fn says(&self, command: &str) -> String {
        self.run(command).await.output
    }
}

#[tokio::test]
async fn exports_and_folder_persist_over_calls() {
    let place = Place::new();
    let result = place
        .run("mkdir -p 'sub dir' && cd 'sub dir' && export GREETING='hi  there' ; unset LANG")
        .await;
    assert_eq!(result.exit_code, 0, "{}", result.output);
    assert_eq!(result.cwd, place.root().join("sub dir").to_str().unwrap());
    assert_eq!(
        place.says("echo \"$GREETING|${LANG-none}\"; pwd").await,
        format!(
            "hi  there|none\n{}\n",
            place.root().join("sub dir").display()
        )
    );
    assert_eq!(
        place.says("cd - >/dev/null; cd ..; pwd").await,
        format!("{}\n", place.root().parent().unwrap().display())
    );
}
