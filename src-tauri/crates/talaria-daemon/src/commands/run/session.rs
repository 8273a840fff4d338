//! The session and the model of a run, from its options.

use crate::advice::{look, no_model};
use crate::options::RunOptions;
use crate::output::err;
use std::path::PathBuf;
use talaria_protocol::{
    AppError, Methods, ModelRoute, ModelSetParams, SessionCreateParams, SessionId, SessionResumeParams,
};
use talaria_runtime::LocalClient;

/// Name of the built-in scripted model.
const DEMO: &str = "demo";

/// Makes the session, or loads the one that is named.
pub async fn open(client: &LocalClient, options: &RunOptions, folder: Option<PathBuf>) -> Result<SessionId, AppError> {
    match &options.session {
        Some(id) => resume(client, options, folder, id).await,
        None => {
            let Some(route) = route(client, options, client.runtime().default_model()).await? else {
                return Err(no_model(client, "no model is configured").await);
            };
            let create = SessionCreateParams {
                project_dir: folder.map(|folder| folder.display().to_string()),
                model: Some(route),
                approval_mode: None,
                max_iterations: None,
            };
            Ok(client
                .runtime()
                .session_create(client.id(), create)
                .await?
                .session
                .session_id)
        }
    }
}

async fn resume(
    client: &LocalClient,
    options: &RunOptions,
    folder: Option<PathBuf>,
    id: &str,
) -> Result<SessionId, AppError> {
    let runtime = client.runtime();
    let session_id = runtime.find_session(id).await?;
    let resume = SessionResumeParams {
        session_id: session_id.clone(),
        limit: Some(1),
    };
    let session = runtime.session_resume(client.id(), resume).await?.session;
    if let (Some(given), Some(own)) = (folder, &session.project_dir)
        && given.as_os_str() != own.as_str()
    {
        err(&format!("note: this session works in {own}; --project is not used."));
    }
    let before = session.model.clone().or_else(|| runtime.default_model());
    let Some(route) = route(client, options, before).await? else {
        return Err(no_model(client, "this session has no model, and none is configured").await);
    };
    if session.model.as_ref() != Some(&route) {
        let set = ModelSetParams {
            session_id: Some(session_id.clone()),
            route,
        };
        runtime.model_set(client.id(), set).await?;
    }
    Ok(session_id)
}

/// The route from the options, on top of the one that would be used without them.
async fn route(
    client: &LocalClient,
    options: &RunOptions,
    before: Option<ModelRoute>,
) -> Result<Option<ModelRoute>, AppError> {
    let with_key = |mut route: ModelRoute| {
        if options.api_key_env.is_some() {
            route.api_key_env.clone_from(&options.api_key_env);
        }
        Some(route)
    };
    let custom = |model: &str, base_url: &String| ModelRoute {
        provider: "custom".to_owned(),
        model: model.to_owned(),
        base_url: Some(base_url.clone()),
        api_key_env: None,
    };
    Ok(match (&options.base_url, options.model.as_deref()) {
        (None, Some(DEMO)) => Some(ModelRoute {
            provider: DEMO.to_owned(),
            model: DEMO.to_owned(),
            base_url: None,
            api_key_env: None,
        }),
        (Some(base_url), Some(model)) => with_key(custom(model, base_url)),
        // A server with a single model takes any name.
        (Some(base_url), None) => {
            let model = before
                .filter(|before| before.provider != DEMO)
                .map(|before| before.model);
            with_key(custom(model.as_deref().unwrap_or("default"), base_url))
        }
        (None, Some(model)) => match before.filter(|before| before.provider != DEMO) {
            Some(before) => with_key(ModelRoute {
                model: model.to_owned(),
                ..before
            }),
            // Without a server of its own, the name may be one of a model that answers on this computer or by a key.
            None => match look(client).await.into_iter().find(|info| info.route.model == model) {
                Some(info) => with_key(info.route),
                None => return Err(no_model(client, format!("no server is known for the model {model}")).await),
            },
        },
        (None, None) => before.and_then(with_key),
    })
}
