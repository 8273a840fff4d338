//! Which files the tools refuse, on every path that leads to them: as written and with links resolved.
//!
//! This is the second line of defence: a command in the terminal can still reach these files, but only past its own rules.

mod rules;

use crate::memory::FileMemory;
use crate::place::Place;
pub(crate) use rules::Homes;
use std::sync::Arc;
use talaria_tools::{ToolContext, ToolError};

/// Refuses devices and the like by their name, before anything is opened or looked up.
pub(crate) fn read_by_name(absolute: &str) -> Result<(), ToolError> {
    refuse(rules::device(absolute))
}

/// Refuses to read credentials, tokens and project environment files.
pub(crate) async fn read(cx: &ToolContext, place: &Place<'_>) -> Result<(), ToolError> {
    let homes = homes(cx, place).await;
    refuse(both(place, |path| {
        rules::device(path).or_else(|| rules::read_denied(path, &homes))
    }))
}

/// Refuses to write system files, credentials, shell start-up files and Talaria's own state.
pub(crate) async fn write(cx: &ToolContext, place: &Place<'_>) -> Result<(), ToolError> {
    let homes = homes(cx, place).await;
    refuse(both(place, |path| rules::write_denied(path, &homes)))
}

fn both(place: &Place<'_>, rule: impl Fn(&str) -> Option<String>) -> Option<String> {
    rule(&place.absolute).or_else(|| rule(&place.real))
}

fn refuse(reason: Option<String>) -> Result<(), ToolError> {
    reason.map_or(Ok(()), |reason| Err(ToolError::Tell(reason)))
}

/// The home folders as given and with links resolved; looked up once a session.
async fn homes(cx: &ToolContext, place: &Place<'_>) -> Arc<Homes> {
    let memory = cx.memory.get::<FileMemory>();
    if let Some(homes) = memory.homes.get() {
        return Arc::clone(homes);
    }
    let mut found = Homes::default();
    for (paths, home) in [(&mut found.talaria, &cx.talaria_home), (&mut found.user, &cx.user_home)] {
        let home = home.to_string_lossy().into_owned();
        if let Ok(real) = place.files.real_path(&home).await
            && real != home
        {
            paths.push(real);
        }
        paths.push(home);
    }
    Arc::clone(memory.homes.get_or_init(|| Arc::new(found)))
}
