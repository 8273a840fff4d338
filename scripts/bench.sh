#!/usr/bin/env bash
# Speed and size of the release build, beside bare baselines of the same run: target/bench.json, and a table on standard
# output. BENCH_ONLY=PART runs the parts whose name contains it: turns, growth, start, memory, deltas, window, size.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
target=$(cd "$target" && pwd)
rows=$target/bench-rows.jsonl
rm -f "$rows"
only=${BENCH_ONLY:-}
part() { [[ "$1" == *"$only"* ]]; }
say() { printf 'bench: %s (load %s)\n' "$*" "$(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null)" >&2; }

# --- Everything is built first, so that no compiler runs beside a measurement.
say "building"
cargo build --release --locked -p talaria-daemon --bins
cargo bench --locked -p talaria-runtime --bench turns --no-run
if part window || part size; then
  cargo build --release --locked --bin talaria --example empty_window
fi
if part size; then
  # The bundler names the file that it made; an older one may lie beside it.
  rm -rf "$target/release/bundle/deb"
  ui/node_modules/.bin/tauri build --bundles deb
fi

# --- Turns in one process, and the program without a window.
TALARIAD=$target/release/talariad BENCH_ROWS=$rows BENCH_ONLY=$only cargo bench --locked -p talaria-runtime --bench turns

# --- The window.
if part window; then
  say "window"
  scripts/with-display.sh node tests/e2e/bench-window.mjs "$target/release/talaria" "$target/release/examples/empty_window" \
    | { grep '^{' || true; } >>"$rows"
fi

# --- Sizes.
size_row() {
  local bytes
  bytes=$(stat -c %s "$2")
  awk -v what="$1" -v bytes="$bytes" 'BEGIN {
    printf "{\"what\":\"%s\",\"unit\":\"MiB\",\"ours\":%.4f,\"baseline\":null,\"ratio\":null,\"bar\":\"\",\"verdict\":\"\",\"reference\":\"\",\"detail\":{\"bytes\":%d}}\n", what, bytes / 1048576, bytes
  }' >>"$rows"
}
if part size; then
  size_row "size of talaria" "$target/release/talaria"
  size_row "size of talariad" "$target/release/talariad"
  package=$(echo "$target"/release/bundle/deb/*.deb)
  size_row "size of the deb" "$package"
  if command -v dpkg-deb >/dev/null; then
    listing=$(dpkg-deb --contents "$package")
    for file in usr/bin/talaria 'usr/share/applications/.*\.desktop' 'usr/share/icons/hicolor/.*\.png'; do
      grep -q "$file" <<<"$listing" || { echo "bench: the deb lacks $file" >&2; exit 1; }
    done
  fi
fi

touch "$rows"
node scripts/bench-table.mjs "$rows" "$target/bench.json"
