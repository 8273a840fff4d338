#!/usr/bin/env bash
# Installs what Talaria needs. `run`: to build and open the window. `test`: also what the tests need.
# Quick when nothing is missing; says what to do where it cannot install by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-run}

say() { printf 'setup: %s\n' "$*"; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# --- Rust and Node: they belong to the person, so they are checked and never installed.
command -v cargo >/dev/null || die "Rust is missing. Install it with rustup (version $(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)), then run this again."
command -v node >/dev/null || die "Node.js is missing. Install version 20.19 or newer, then run this again."
command -v npm >/dev/null || die "npm is missing. It comes with Node.js; install it, then run this again."
node -e 'const [a,b]=process.versions.node.split(".").map(Number); process.exit(a>20||(a===20&&b>=19)?0:1)' \
  || die "Node.js $(node --version) is too old. Install version 20.19 or newer."

# --- System packages.
build_packages=(build-essential pkg-config libwebkit2gtk-4.1-dev libayatana-appindicator3-dev librsvg2-dev libxdo-dev libssl-dev)
test_packages=(xvfb xauth dbus-x11 xdotool imagemagick webkit2gtk-driver procps
  fonts-inter fonts-jetbrains-mono fonts-dejavu fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji)

packages=("${build_packages[@]}")
[ "$purpose" = test ] && packages+=("${test_packages[@]}")

if [ "$(uname -s)" = Linux ] && command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
      if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
      else
        die "these packages are missing. Install them, then run this again:
  sudo apt-get install ${missing[*]}"
      fi
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null \
      || die "the packages could not be installed. Try by hand: sudo apt-get install ${missing[*]}"
  fi
elif [ "$(uname -s)" = Darwin ]; then
  xcode-select -p >/dev/null 2>&1 || die "the command line tools are missing. Run: xcode-select --install"
  [ "$purpose" = test ] && say "the window tests need Linux; they are skipped here"
elif [ "$(uname -s)" = Linux ]; then
  if ! pkg-config --exists webkit2gtk-4.1 2>/dev/null; then
    if command -v dnf >/dev/null; then
      die "install the webview libraries: sudo dnf install webkit2gtk4.1-devel libappindicator-gtk3-devel librsvg2-devel libxdo-devel openssl-devel gcc-c++"
    elif command -v pacman >/dev/null; then
      die "install the webview libraries: sudo pacman -S --needed webkit2gtk-4.1 libappindicator-gtk3 librsvg xdotool openssl base-devel"
    elif command -v zypper >/dev/null; then
      die "install the webview libraries: sudo zypper install webkit2gtk3-devel libappindicator3-1 librsvg-devel xdotool libopenssl-devel gcc-c++"
    else
      die "install the development packages of WebKitGTK 4.1, librsvg, libxdo and OpenSSL for your system"
    fi
  fi
fi

# --- Tools of the tests.
if [ "$purpose" = test ]; then
  cargo nextest --version >/dev/null 2>&1 || { say "installing cargo-nextest"; cargo install --locked --quiet cargo-nextest; }
  if [ "$(uname -s)" = Linux ] && ! command -v tauri-driver >/dev/null && [ ! -x "${CARGO_HOME:-$HOME/.cargo}/bin/tauri-driver" ]; then
    say "installing tauri-driver"
    cargo install --locked --quiet tauri-driver --version 2.1.0
  fi
fi
