//! The sample project of the demo: made in a temporary folder, one for each chat.

use std::path::{Path, PathBuf};
use talaria_protocol::{AppError, ErrorKind, Layer};

/// Makes a sample project and gives its folder.
pub(crate) async fn create(parent: &Path) -> Result<PathBuf, AppError> {
    let parent = parent.to_owned();
    let made = tokio::task::spawn_blocking(move || talaria_model::create_sample_project(&parent)).await;
    let problem = match made {
        Ok(Ok(folder)) => return Ok(folder),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => panic.to_string(),
    };
    Err(AppError::new(
        ErrorKind::Storage,
        Layer::Disk,
        "error.sample",
        format!("the sample project could not be made: {problem}"),
    )
    .with_hint("Free some space in the temporary folder, or choose a folder of your own.")
    .retryable())
}
