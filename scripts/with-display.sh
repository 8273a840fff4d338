#!/usr/bin/env bash
# Runs a command on a virtual display and a private message bus of its own, and ends both afterwards.
set -euo pipefail
if [ "$(uname -s)" != Linux ]; then
  echo "skipped: the window tests need Linux"
  exit 0
fi
export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
# Software rendering without compositing: frames of 5 ms instead of 23 to 47 ms.
export WEBKIT_DISABLE_COMPOSITING_MODE=1 WEBKIT_DISABLE_DMABUF_RENDERER=1 LIBGL_ALWAYS_SOFTWARE=1 NO_AT_BRIDGE=1
exec xvfb-run --auto-servernum --server-args="-screen 0 1680x1050x24" dbus-run-session -- "$@"
