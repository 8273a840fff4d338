import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Bench, missing, until } from "./harness.mjs";

const options = { skip: missing(), timeout: 180_000 };

/** Kills the program when `when` says so, opens it again, and sends another message to a strict model. */
async function survives(t, replies, prompt, when) {
  const bench = new Bench(t);
  await bench.model([...replies, { says: "I am back." }]);
  let view = await bench.window();
  await view.send(prompt);
  await when(bench, view);
  await view.kill();
  view = await bench.window();
  await view.click("button", prompt);
  await view.sees(prompt);
  assert.equal(await view.count(prompt), 1, "the message is lost or doubled");
  await view.send("Go on");
  await view.sees("I am back.");
  await view.idle();
  assert.equal(await view.count(prompt), 1);
  return bench;
}

test("killed in the middle of an answer, nothing is lost or doubled", options, async (t) => {
  await survives(t, [{ says: ["Half ", "of it"], gate_after: { chunks: 2, file: "rest" } }], "Tell me all", (_, view) => view.sees("Half"));
});

test("killed in the middle of a command, the chat goes on", options, async (t) => {
  const bench = await survives(
    t,
    [{ calls: [{ tool: "terminal", arguments: { command: "touch begun; sleep 60; touch ended" } }] }],
    "Run it",
    async (bench, view) => {
      await view.click("button", "Allow once");
      await until("the command runs", () => existsSync(join(bench.project, "begun")));
    },
  );
  assert.match(JSON.stringify(bench.requests().at(-1)), /may have run/);
});

test("killed while a command waits for me, it never runs by itself", options, async (t) => {
  const bench = await survives(
    t,
    [{ calls: [{ tool: "terminal", arguments: { command: "touch never" } }] }],
    "Ask me",
    (_, view) => until("the command asks", () => view.find("button", "Allow once")),
  );
  assert.equal(existsSync(join(bench.project, "never")), false);
});

test("a damaged database is told on a screen of its own, and trying again works once it is mended", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([{ says: "All well." }]);
  writeFileSync(join(bench.home, "state.db"), Buffer.alloc(8192, 7));
  const view = await bench.window();
  await view.sees("could not open its data");
  const { rmSync } = await import("node:fs");
  rmSync(join(bench.home, "state.db"));
  await view.click("button", "Try again");
  await view.send("Hello");
  await view.sees("All well.");
});

test("wrong settings are named with their line, and safe mode starts without them", options, async (t) => {
  const bench = new Bench(t);
  writeFileSync(join(bench.home, "config.yaml"), "model: [unclosed\n  x: 1\n");
  const view = await bench.window();
  await view.sees("config.yaml");
  await view.click("button", "Start in safe mode");
  await until("the window is usable", () => view.find("textbox", "Message"));
});
