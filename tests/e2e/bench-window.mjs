// First paint and usable composer of the release window, beside an empty window with the same settings, in turns.
// Prints one row of the bench's table a line.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { Capabilities, WebDriver } from "selenium-webdriver";
import { Executor, HttpClient } from "selenium-webdriver/http/index.js";

const [window, empty] = process.argv.slice(2);
const RUNS = Number(process.env.BENCH_WINDOWS ?? 15);
let port = 20_000 + (process.pid % 20_000);

async function until(what, probe) {
  const end = Date.now() + 30_000;
  for (;;) {
    // A refused connection or a page that is not there yet is nothing yet.
    const found = await Promise.resolve().then(probe).catch(() => null);
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The program of this folder, and when it was started, in milliseconds since 1970. */
function started(program, folder) {
  for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${name}/exe`) !== program) continue;
      if (!readFileSync(`/proc/${name}/environ`, "utf8").includes(`TALARIA_HOME=${folder}`)) continue;
      const ticks = Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ")[19]);
      const uptime = Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
      return { pid: Number(name), at: Date.now() - (uptime - ticks / 100) * 1000 };
    } catch {
      // It ended, or belongs to somebody else.
    }
  }
  return null;
}

/** Milliseconds from the start of the process to its marks. */
async function measure(program, marks) {
  const folder = mkdtempSync(join(tmpdir(), "talaria-bench-"));
  const home = join(folder, "home");
  mkdirSync(home);
  const [own, native] = [port++, port++];
  const driver = spawn("tauri-driver", ["--port", String(own), "--native-port", String(native)], {
    env: { ...process.env, TALARIA_HOME: home, HOME: folder },
    stdio: "ignore",
  });
  const ended = new Promise((done) => driver.once("exit", done));
  try {
    await until("tauri-driver answers", async () => (await fetch(`http://127.0.0.1:${own}/status`)).status < 600);
    const capabilities = new Capabilities();
    capabilities.set("tauri:options", { application: program });
    const browser = WebDriver.createSession(new Executor(new HttpClient(`http://127.0.0.1:${own}`)), capabilities);
    await browser.getSession();
    const process = await until("the program runs", () => started(program, home));
    const times = await until("the page is drawn", () =>
      browser.executeScript(
        `const found = arguments[0].map((name) => performance.getEntriesByName(name)[0]?.startTime);
         return found.every((at) => at !== undefined) ? found.map((at) => performance.timeOrigin + at) : null;`,
        marks,
      ),
    );
    const passed = times.map((time) => time - process.at);
    await browser.quit().catch(() => {});
    if (started(program, home)) globalThis.process.kill(process.pid, "SIGKILL");
    return passed;
  } finally {
    driver.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const middle = (figures) => [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)];
const PAINT = "first-contentful-paint";
const [ours, bare] = [[], []];
await measure(empty, [PAINT]);
await measure(window, [PAINT, "usable"]);
for (let run = 0; run < RUNS; run += 1) {
  ours.push(await measure(window, [PAINT, "usable"]));
  bare.push(await measure(empty, [PAINT]));
}
const baseline = middle(bare.map(([paint]) => paint));
const least = Math.min(...bare.map(([paint]) => paint));
const row = (what, figures, bar, holds) => {
  const value = middle(figures);
  const detail = { windows: RUNS, min: Math.min(...figures), baseline_min: least, baseline: "first paint of an empty window" };
  const load = loadavg().map((figure) => figure.toFixed(2)).join(" ");
  const verdict = holds(value) ? "holds" : "misses";
  console.log(JSON.stringify({ what, unit: "ms", ours: value, baseline, ratio: value / baseline, bar, verdict, reference: "", detail, load }));
};
row("window: start to first paint", ours.map(([paint]) => paint), "<= 1.3 x", (value) => value <= 1.3 * baseline);
row("window: start to usable composer", ours.map(([, usable]) => usable), "<= baseline + 500", (value) => value <= baseline + 500);
