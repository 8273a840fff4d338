// @ts-check
// A place for one test: a home, a project, a scripted model and windows of its own. Everything it starts ends with it.

import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { View } from "./view.mjs";

/**
 * One answer of the scripted model; the form is described in the test kit's `script_file`.
 * @typedef {Record<string, unknown>} Reply
 * @typedef {import("node:child_process").ChildProcess} ChildProcess
 */

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const BINARIES = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug");
export const WINDOW = join(BINARIES, "talaria");
const TALARIAD = join(BINARIES, "talariad");
const SCRIPTED_MODEL = join(BINARIES, "scripted-model");
/** Where a failed scenario leaves what was seen. */
const EVIDENCE = join(ROOT, "shots/failed");
const LIMIT_MS = 20_000;
const SCENARIO_LIMIT_MS = 120_000;

/** Benches that are in use, for when the tests are ended from outside. @type {Set<Bench>} */
const inUse = new Set();
process.on("exit", () => inUse.forEach((bench) => bench.drop()));
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => process.exit(1));

/** Why window tests cannot run here, if so. In CI that is a failure. */
function missing() {
  const problems = [];
  if (!process.env.DISPLAY) problems.push("there is no display (run them through scripts/with-display.sh)");
  for (const program of ["tauri-driver", "WebKitWebDriver"]) {
    const found = (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));
    if (!found) problems.push(`${program} is not installed (make setup-test)`);
  }
  for (const binary of [WINDOW, TALARIAD, SCRIPTED_MODEL]) {
    if (!existsSync(binary)) problems.push(`${binary} is not built (make build)`);
  }
  if (problems.length === 0) return false;
  if (process.env.CI) throw new Error(problems.join("; "));
  return problems.join("; ");
}

const skip = missing();

/**
 * A test in a place of its own. When it fails, pictures, page and logs are kept.
 * @param {string} sentence
 * @param {(bench: Bench, t: import("node:test").TestContext) => Promise<void>} script
 */
export function scenario(sentence, script) {
  test(sentence, { skip, timeout: SCENARIO_LIMIT_MS }, async (t) => {
    const bench = new Bench();
    const outOfTime = new Promise((_, fail) => t.signal.addEventListener("abort", () => fail(new Error("out of time"))));
    try {
      await Promise.race([script(bench, t), outOfTime]);
    } catch (error) {
      t.diagnostic(`what was seen is in ${await bench.fail(sentence)}`);
      throw error;
    } finally {
      await bench.end();
    }
  });
}

/**
 * Waits until `probe` gives something, and gives that.
 * @template T
 * @param {string} what
 * @param {() => T | Promise<T>} probe
 * @returns {Promise<NonNullable<T>>}
 */
export async function until(what, probe, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  for (;;) {
    let problem = "";
    try {
      const value = await probe();
      if (value) return value;
    } catch (error) {
      // The page may be between two states; what stays wrong is told in the end.
      problem = ` (${error instanceof Error ? error.message : error})`;
    }
    if (Date.now() > end) throw new Error(`waited ${limit} ms in vain until ${what}${problem}`);
    await pause(20);
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(null)));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

export class Bench {
  /** @type {View[]} */
  #views = [];
  /** @type {Set<ChildProcess>} */
  #children = new Set();

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "talaria-e2e-"));
    this.home = join(this.folder, "home");
    this.project = join(this.folder, "project");
    this.gates = join(this.folder, "gates");
    this.requestLog = join(this.folder, "requests.jsonl");
    this.output = join(this.folder, "output.log");
    for (const folder of [this.home, this.gates, join(this.folder, "tmp")]) mkdirSync(folder);
    cpSync(join(ROOT, "tests/fixtures/small-project"), this.project, { recursive: true });
    writeFileSync(this.output, "");
    inUse.add(this);
  }

  /** Ends everything, also what the window's own children left behind, and removes the folder. */
  async end() {
    for (const view of this.#views) await view.close();
    for (const child of this.#children) await ended(child);
    for (const pid of this.#pids()) kill(pid);
    await until("nothing of this test runs any more", () => this.#pids().length === 0);
    this.drop();
  }

  /** As `end`, without waiting. */
  drop() {
    inUse.delete(this);
    for (const pid of this.#pids()) kill(pid);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Keeps what was seen. Gives the folder.
   * @param {string} sentence
   */
  async fail(sentence) {
    const folder = join(EVIDENCE, sentence.replace(/\W+/g, "-").slice(0, 80));
    mkdirSync(folder, { recursive: true });
    for (const view of this.#views.filter((view) => view.isOpen)) {
      await view.picture(join(folder, "window.png")).catch(() => {});
      await view.text().then((text) => writeFileSync(join(folder, "page.txt"), text)).catch(() => {});
    }
    for (const file of [this.requestLog, this.output, join(this.home, "logs/talaria.log")]) {
      if (existsSync(file)) cpSync(file, join(folder, /** @type {string} */ (file.split("/").at(-1))));
    }
    return folder;
  }

  /** What the program and everything below it sees: nothing of the person's own. */
  get env() {
    const kept = ["PATH", "DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "LANG", "CARGO_HOME", "RUSTUP_HOME"];
    const ours = Object.entries(process.env).filter(([name]) => kept.includes(name) || /^(WEBKIT|LIBGL|NO_AT)_/.test(name));
    return {
      ...Object.fromEntries(ours),
      TALARIA_HOME: this.home,
      HOME: this.folder,
      TMPDIR: join(this.folder, "tmp"),
      TALARIA_TERMINAL_CWD: this.project,
    };
  }

  /**
   * Starts a scripted model that refuses what a strict provider refuses, and makes it the default of the home.
   * @param {Reply[]} replies
   */
  async model(replies) {
    const file = join(this.folder, "script.json");
    writeFileSync(file, JSON.stringify({ strict: true, replies }));
    const child = this.#start(SCRIPTED_MODEL, [file, "--log", this.requestLog, "--gates", this.gates], "pipe");
    const url = await new Promise((done, fail) => {
      child.stdout?.once("data", (text) => done(String(text).trim()));
      child.once("exit", () => fail(new Error(`the scripted model ended at once: ${this.log()}`)));
    });
    this.config(`model:\n  provider: custom\n  default: scripted\n  base_url: ${url}\n`);
  }

  /** Writes the settings. @param {string} text */
  config(text) {
    writeFileSync(join(this.home, "config.yaml"), text);
  }

  settings() {
    return readFileSync(join(this.home, "config.yaml"), "utf8");
  }

  /** Lets the model go on. @param {string} gate */
  open(gate) {
    writeFileSync(join(this.gates, gate), "");
  }

  /** Waits until the model stands before a gate. @param {string} gate */
  async reached(gate) {
    await until(`the model stands before ${gate}`, () => existsSync(join(this.gates, `${gate}.reached`)));
  }

  /** Bodies of the requests for an answer, oldest first. @returns {{messages: {role: string, content: string}[]}[]} */
  requests() {
    if (!existsSync(this.requestLog)) return [];
    const lines = readFileSync(this.requestLog, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line)).filter(({ method }) => method === "POST").map(({ body }) => body);
  }

  /** What the newest request told the model of its last call. */
  lastResult() {
    const results = this.requests().at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
    return results.at(-1)?.content ?? "";
  }

  /** Text of a file of the project, or null. @param {string} path */
  file(path) {
    const file = join(this.project, path);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  /** Opens the window. */
  async window({ width = 1600, height = 1000, theme = "light" } = {}) {
    const port = await freePort();
    const args = ["--port", String(port), "--native-port", String(await freePort())];
    const driver = this.#start("tauri-driver", args, "log");
    await until("tauri-driver answers", () => fetch(`http://127.0.0.1:${port}/status`));
    const view = await View.open(this, port, () => ended(driver));
    this.#views.push(view);
    await view.resize(width, height);
    await view.theme(theme);
    return view;
  }

  /** Runs talariad to its end. @param {string[]} args */
  async talariad(...args) {
    const child = this.#start(TALARIAD, args, "pipe");
    let out = "";
    child.stdout?.on("data", (text) => (out += text));
    const code = await new Promise((done) => child.once("close", done));
    return { code, out };
  }

  /** What the programs said. */
  log() {
    return readFileSync(this.output, "utf8");
  }

  /** Processes of this test that run a program. @param {string} program */
  processes(program) {
    return this.#pids().filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, "utf8").trim() === program;
      } catch {
        return false;
      }
    });
  }

  /** Process of the window, or undefined. */
  pid() {
    return this.#pids().find((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/exe`) === WINDOW;
      } catch {
        return false;
      }
    });
  }

  /**
   * @param {string} program
   * @param {string[]} args
   * @param {"pipe" | "log"} output
   */
  #start(program, args, output) {
    const child = spawn(program, args, { env: this.env, cwd: this.project, stdio: ["ignore", "pipe", "pipe"] });
    this.#children.add(child);
    const keep = (/** @type {Buffer} */ text) => appendFileSync(this.output, text);
    child.stderr.on("data", keep);
    if (output === "log") child.stdout.on("data", keep);
    return child;
  }

  /** Processes that were started with this bench's folder as their home. */
  #pids() {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`HOME=${this.folder}`);
        } catch {
          return false;
        }
      });
  }
}

/** @param {number} pid */
export function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

/** @param {ChildProcess} child */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await exit;
}
