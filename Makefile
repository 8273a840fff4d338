# Talaria: `make run` opens the window, `make test` checks everything.

CARGO ?= cargo
NPM := npm --prefix ui
# One folder for the products of all builds, also when CARGO_TARGET_DIR is set.
TARGET := $(or $(CARGO_TARGET_DIR),target)

.PHONY: run daemon setup setup-test test check check-rust check-ui test-rust test-ui build ui test-window bindings bench shots deb clean

## run: build what changed and open the window
run: setup ui
	$(CARGO) run --bin talaria

## setup: install what building and running needs (quick when nothing is missing)
setup:
	@scripts/setup.sh run

setup-test:
	@scripts/setup.sh test

## test: everything, cheapest first; the same here and in CI
test: setup-test check-rust check-ui test-rust test-ui build test-window

## check: formats, lints and types only
check: setup check-rust check-ui

ui: ui/node_modules/.installed
	$(NPM) run build --silent

ui/node_modules/.installed: ui/package-lock.json
	npm ci --prefix ui --no-audit --no-fund --loglevel=error
	@touch $@

tests/e2e/node_modules/.installed: tests/e2e/package-lock.json
	npm ci --prefix tests/e2e --no-audit --no-fund --loglevel=error
	@touch $@

check-rust:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

check-ui: ui/node_modules/.installed tests/e2e/node_modules/.installed
	$(NPM) run format:check --silent
	$(NPM) run check --silent
	npm --prefix tests/e2e run check --silent

test-rust:
	$(CARGO) nextest run --workspace --locked

test-ui: ui/node_modules/.installed
	$(NPM) test --silent

build: ui
	$(CARGO) build --locked --bin talaria --bin talariad --bin scripted-model

## test-window: the real window under WebDriver, on a display of its own
test-window: build tests/e2e/node_modules/.installed
	scripts/with-display.sh npm --prefix tests/e2e test --silent

## bindings: write ui/src/bindings from the protocol
bindings:
	UPDATE_BINDINGS=1 $(CARGO) nextest run -p talaria-protocol bindings

## bench: speed and size against bare baselines of the same run
bench: setup-test ui tests/e2e/node_modules/.installed
	scripts/bench.sh

## shots: pictures of every screen, light and dark, 900 and 1600 wide, into shots/
shots: setup-test build tests/e2e/node_modules/.installed
	scripts/with-display.sh npm --prefix tests/e2e run shots --silent

## deb: the installer
deb: setup ui
	ui/node_modules/.bin/tauri build --bundles deb

clean:
	$(CARGO) clean
	rm -rf ui/dist ui/node_modules tests/e2e/node_modules shots
