// Starts the real window on a home and a project of its own, against a scripted model, and drives it by role and name.
// Everything that a test starts ends with it.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Capabilities, Key, WebDriver } from "selenium-webdriver";
import { Executor, HttpClient } from "selenium-webdriver/http/index.js";

export { Key };

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../..");
const BINARIES = join(process.env.CARGO_TARGET_DIR ?? join(ROOT, "target"), "debug");
export const WINDOW = join(BINARIES, "talaria");
export const TALARIAD = join(BINARIES, "talariad");
const SCRIPTED_MODEL = join(BINARIES, "scripted-model");
const LIMIT_MS = 20_000;

/** Why window tests cannot run here, if so. In CI that is a failure. */
export function missing() {
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

/** Waits until `probe` gives something true, and gives that. */
export async function until(what, probe, limit = LIMIT_MS) {
  const end = Date.now() + limit;
  let last;
  for (;;) {
    try {
      const value = await probe();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end) throw new Error(`waited ${limit} ms in vain: ${what}${last ? ` (${last.message})` : ""}`);
    await new Promise((done) => setTimeout(done, 25));
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** A place for one test: home, project, model, window. */
export class Bench {
  #ends = [];

  /** `test` is the context of node:test; everything ends with it. */
  constructor(test) {
    this.folder = mkdtempSync(join(tmpdir(), "talaria-e2e-"));
    this.home = join(this.folder, "home");
    this.project = join(this.folder, "project");
    this.gates = join(this.folder, "gates");
    for (const folder of [this.home, this.gates]) mkdirSync(folder);
    cpSync(join(ROOT, "tests/fixtures/small-project"), this.project, { recursive: true });
    test?.after(() => this.end());
  }

  async end() {
    for (const end of this.#ends.reverse()) await end();
    this.#ends = [];
    rmSync(this.folder, { recursive: true, force: true });
  }

  get env() {
    // Set by the test runner itself; a `node --test` inside would take it for its own.
    const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
    return { ...rest, TALARIA_HOME: this.home, HOME: this.folder, TALARIA_TERMINAL_CWD: this.project };
  }

  /** Starts a scripted model and makes it the default of the home. */
  async model(replies, { strict = true } = {}) {
    const file = join(this.folder, "script.json");
    this.requestLog = join(this.folder, "requests.jsonl");
    writeFileSync(file, JSON.stringify({ strict, replies }));
    const child = spawn(SCRIPTED_MODEL, [file, "--log", this.requestLog, "--gates", this.gates], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#ends.push(() => ended(child));
    const url = await new Promise((done, fail) => {
      child.stdout.once("data", (text) => done(String(text).trim()));
      child.once("exit", () => fail(new Error("the scripted model ended at once")));
    });
    this.baseUrl = url;
    this.config(`model:\n  provider: custom\n  default: scripted\n  base_url: ${url}\n`);
    return url;
  }

  config(text) {
    writeFileSync(join(this.home, "config.yaml"), `${text}terminal:\n  cwd: ${this.project}\n`);
  }

  open(gate) {
    writeFileSync(join(this.gates, gate), "");
  }

  async reached(gate) {
    await until(`gate ${gate}`, () => existsSync(join(this.gates, `${gate}.reached`)));
  }

  /** Bodies of the requests that the model got. */
  requests() {
    if (!existsSync(this.requestLog)) return [];
    const lines = readFileSync(this.requestLog, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line));
  }

  /** Opens the window. */
  async window({ width = 1600, height = 1000, theme } = {}) {
    const port = await freePort();
    const driver = spawn("tauri-driver", ["--port", String(port), "--native-port", String(await freePort())], {
      env: this.env,
      stdio: "ignore",
    });
    const client = new Executor(new HttpClient(`http://127.0.0.1:${port}`));
    const capabilities = new Capabilities();
    capabilities.set("tauri:options", { application: WINDOW });
    await until("tauri-driver answers", async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/status`);
      return answer.status < 600;
    });
    const browser = WebDriver.createSession(client, capabilities);
    await browser.getSession();
    const view = new View(this, browser, driver);
    this.#ends.push(() => view.close());
    await browser.manage().window().setRect({ x: 0, y: 0, width, height });
    if (theme) await browser.executeScript("document.documentElement.dataset.theme = arguments[0]", theme);
    return view;
  }

  /** Runs talariad to its end. */
  async talariad(...args) {
    const child = spawn(TALARIAD, args, { env: this.env, cwd: this.project, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (err += text));
    const code = await new Promise((done) => child.once("close", done));
    return { code, out, err };
  }

  /** Process of this bench's window. */
  pid() {
    for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        const mine = readFileSync(`/proc/${name}/environ`, "utf8").includes(`TALARIA_HOME=${this.home}\0`);
        if (mine && readlinkSync(`/proc/${name}/exe`) === WINDOW) return Number(name);
      } catch {
        // It ended, or belongs to somebody else.
      }
    }
    return null;
  }
}

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await exit;
}

/** The open window. */
export class View {
  constructor(bench, browser, driver) {
    this.bench = bench;
    this.browser = browser;
    this.driver = driver;
  }

  async close() {
    await this.browser.quit().catch(() => {});
    const pid = this.bench.pid();
    if (pid) process.kill(pid, "SIGKILL");
    await ended(this.driver);
  }

  /** `kill -9` of the program, as a crash would. */
  async kill() {
    process.kill(this.bench.pid(), "SIGKILL");
    await until("the program has ended", () => this.bench.pid() === null);
    await this.browser.quit().catch(() => {});
    await ended(this.driver);
  }

  js(script, ...args) {
    return this.browser.executeScript(script, ...args);
  }

  /** Text of the whole page. */
  text() {
    return this.js("return document.body.innerText");
  }

  async sees(text, limit) {
    await until(`the page shows “${text}”`, async () => (await this.text()).includes(text), limit);
  }

  /** Elements with a role and a name (a part of it will do), visible ones only. */
  find(role, name) {
    return this.js(
      `const [role, name] = arguments;
       const own = { button: "button,[role=button]", textbox: "textarea,input:not([type]),input[type=text]", radio: "input[type=radio],[role=radio]" }[role] ?? "[role=" + role + "]";
       const label = (el) => el.getAttribute("aria-label") ?? (el.labels?.[0]?.innerText) ??
         (el.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join(" ").trim() ?? "";
       const named = [...document.querySelectorAll(own)]
         .filter((el) => el.getClientRects().length > 0 && !el.disabled)
         .map((el) => [el, (label(el) || el.innerText || el.placeholder || "").trim()]);
       const exact = named.find(([, text]) => text === name || text.split("\\n")[0] === name);
       return (exact ?? named.find(([, text]) => text.includes(name)))?.[0] ?? null;`,
      role,
      name,
    );
  }

  async click(role, name) {
    const element = await until(`${role} “${name}”`, () => this.find(role, name));
    await this.js("arguments[0].scrollIntoView({ block: 'nearest' })", element);
    await element.click();
  }

  /** Types into the message field and sends. */
  async send(text) {
    const field = await until("the message field", () => this.find("textbox", "Message"));
    await field.click();
    await field.sendKeys(text, Key.ENTER);
  }

  /** How often a text stands in the conversation. */
  count(text) {
    return this.js(
      `const feed = document.querySelector('[role=feed]'); return feed ? feed.innerText.split(arguments[0]).length - 1 : 0;`,
      text,
    );
  }

  async idle() {
    await until("no turn runs", () => this.js(`return ![...document.querySelectorAll("main button")].some((el) => el.getAttribute("aria-label") === "Stop")`));
  }

  press(...keys) {
    return this.browser.actions().sendKeys(...keys).perform();
  }

  chord(modifier, key) {
    return this.browser.actions().keyDown(modifier).sendKeys(key).keyUp(modifier).perform();
  }
}
