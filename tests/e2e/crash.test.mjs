// @ts-check
import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scenario, until } from "./harness.mjs";
import { run } from "./scripts.mjs";
import { Key } from "./view.mjs";

/**
 * Kills the program at a moment, opens it again, and goes on with a strict model.
 * @param {import("./harness.mjs").Bench} bench
 * @param {import("./harness.mjs").Reply[]} replies
 * @param {string} prompt
 * @param {(view: import("./view.mjs").View) => Promise<unknown>} moment
 */
async function survives(bench, replies, prompt, moment) {
  await bench.model([...replies, { says: "I am back." }]);
  let view = await bench.window();
  await view.send(prompt);
  await moment(view);
  await view.kill();
  view = await bench.window();
  await view.openChat(prompt);
  await until("the message is there", async () => (await view.count(prompt)) > 0);
  assert.equal(await view.count(prompt), 1, "the message is doubled");
  await view.sees("Cut off when Talaria stopped.");
  assert.ok(!(await view.running()), "a turn without a program runs");
  assert.equal(await view.all("[data-request]"), 0, "a question is open that nobody waits for");
  await view.send("Go on");
  await view.sees("I am back.");
  await view.idle();
  for (const text of [prompt, "Go on", "I am back."]) assert.equal(await view.count(text), 1, `“${text}” is doubled`);
  assert.equal(bench.requests().length, replies.length + 1, "something was asked twice or not at all");
  return view;
}

scenario("killed in the middle of an answer, nothing is lost or doubled", async (bench) => {
  const half = { says: ["Half ", "of it"], gate_after: { chunks: 2, file: "rest" } };
  await survives(bench, [half], "Tell me all", (view) => view.sees("Half"));
});

scenario("killed in the middle of a command, the chat goes on and the agent knows that it may have run", async (bench) => {
  const command = { calls: [run("touch begun; sleep 60; touch ended")] };
  await survives(bench, [command], "Run it", async (view) => {
    await view.click("button", "Allow once");
    await until("the command runs", () => bench.file("begun") !== null);
  });
  assert.match(bench.lastResult(), /may have run/);
});

scenario("killed while a command waits for me, it never runs by itself", async (bench) => {
  await survives(bench, [{ calls: [run("touch never")] }], "Ask me", (view) => view.asks("touch never"));
  assert.equal(bench.file("never"), null);
});

scenario("killed while my next message is queued, it is not lost", async (bench) => {
  await bench.model([{ says: "never said", gate: "first" }, { says: "I am back." }]);
  let view = await bench.window();
  await view.send("Begin");
  await bench.reached("first");
  await view.send("Then tidy up", [Key.CONTROL, Key.ENTER]);
  await view.sees("1 queued");
  await view.kill();
  view = await bench.window();
  await view.openChat("Begin");
  await view.sees("1 queued");
  await view.click("button", "Resume");
  await view.sees("I am back.");
  await view.idle();
  assert.equal(await view.count("Then tidy up"), 1);
});

scenario("a damaged database is told on a screen of its own, and trying again works once it is mended", async (bench) => {
  await bench.model([{ says: "All well." }]);
  const database = join(bench.home, "state.db");
  writeFileSync(database, Buffer.alloc(8192, 7));
  const view = await bench.window();
  await view.wait("heading", "Talaria could not open its data");
  await view.click("button", "Try again");
  await view.wait("heading", "Talaria could not open its data");
  rmSync(database);
  await view.click("button", "Try again");
  await view.send("Hello");
  await view.sees("All well.");
});

const BROKEN = "model: [unclosed\n  x: 1\n";

scenario("wrong settings are named with their file, and trying again works once they are right", async (bench) => {
  bench.config(BROKEN);
  const view = await bench.window();
  await view.wait("heading", "Talaria could not read its settings");
  await view.sees("config.yaml");
  await bench.model([{ says: "All well." }]);
  await view.click("button", "Try again");
  await view.send("Hello");
  await view.sees("All well.");
});

scenario("with wrong settings I can start in safe mode, and they are left as they are", async (bench) => {
  bench.config(BROKEN);
  const view = await bench.window();
  await view.wait("heading", "Talaria could not read its settings");
  await view.click("button", "Start in safe mode");
  await view.wait("button", "Try the demo (scripted)");
  assert.equal(bench.settings(), BROKEN);
});
