//! Settings of the system webview that must stand before the first window.

/// Leaves variables that the person set alone, and turns off the DMA-BUF renderer where no GPU device is there: with
/// it WebKitGTK shows an empty window on such machines.
pub fn prepare() {
    #[cfg(target_os = "linux")]
    {
        let no_gpu = !std::path::Path::new("/dev/dri").exists();
        if no_gpu && std::env::var_os("WEBKIT_DISABLE_DMABUF_RENDERER").is_none() {
            // SAFETY: called first in `run`, before any thread exists.
            unsafe { std::env::set_var("WEBKIT_DISABLE_DMABUF_RENDERER", "1") };
        }
        if no_gpu && std::env::var_os("WEBKIT_DISABLE_COMPOSITING_MODE").is_none() {
            // SAFETY: as above.
            unsafe { std::env::set_var("WEBKIT_DISABLE_COMPOSITING_MODE", "1") };
        }
    }
}
