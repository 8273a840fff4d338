//! A window with Talaria's own settings and an empty page: what the bench holds the first paint of the real one against.

use std::borrow::Cow;
use std::process::ExitCode;
use tauri::Assets;
use tauri::utils::assets::{AssetKey, AssetsIter, CspHash};

const PAGE: &[u8] = b"<!doctype html><meta charset=\"utf-8\"><title>Empty</title><p>empty</p>";

struct OnePage;

impl<R: tauri::Runtime> Assets<R> for OnePage {
    fn get(&self, _: &AssetKey) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(PAGE))
    }

    fn iter(&self) -> Box<AssetsIter<'_>> {
        Box::new(std::iter::once((Cow::Borrowed("/index.html"), Cow::Borrowed(PAGE))))
    }

    fn csp_hashes(&self, _: &AssetKey) -> Box<dyn Iterator<Item = CspHash<'_>> + '_> {
        Box::new(std::iter::empty())
    }
}

fn main() -> ExitCode {
    let mut context = tauri::generate_context!();
    context.set_assets(Box::new(OnePage));
    match tauri::Builder::default().run(context) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the window could not be opened: {error}");
            ExitCode::FAILURE
        }
    }
}
