//! Fresh ids. Randomness comes from the operating system through the standard library's hash seeds.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use talaria_protocol::{RequestId, SessionId};

static COUNTER: AtomicU64 = AtomicU64::new(0);

/// 64 random bits; never the same twice in a process.
pub(crate) fn random() -> u64 {
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(COUNTER.fetch_add(1, Ordering::Relaxed));
    hasher.finish()
}

/// `srq-<12 hex>`.
pub(crate) fn request_id() -> RequestId {
    RequestId::new(format!("srq-{:012x}", random() & 0xffff_ffff_ffff))
}

/// `q-<8 hex>`.
pub(crate) fn queue_entry_id() -> String {
    format!("q-{:08x}", random() & 0xffff_ffff)
}

/// `YYYYMMDD_HHMMSS_<6 hex>` in the person's zone.
pub(crate) fn session_id() -> SessionId {
    let stamp = chrono::Local::now().format("%Y%m%d_%H%M%S");
    SessionId::new(format!("{stamp}_{:06x}", random() & 0xff_ffff))
}
