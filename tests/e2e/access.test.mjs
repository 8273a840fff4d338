import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Bench, Key, missing, until } from "./harness.mjs";

const options = { skip: missing(), timeout: 180_000 };
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious and critical findings of the page. */
async function findings(view) {
  await until("colours have changed", () => view.js("return document.getAnimations().every((a) => a.playState !== 'running' || a.effect.getTiming().iterations === Infinity)"));
  await view.js(`if (!window.axe) { ${axe} }`);
  const results = await view.browser.executeAsyncScript(
    `const done = arguments[arguments.length - 1];
     axe.run(document, { resultTypes: ['violations'] }).then((r) => done(r.violations), (e) => done([{ id: String(e), impact: 'critical', nodes: [] }]));`,
  );
  return results
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`);
}

test("every screen is usable with a screen reader, in light and dark", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([
    { says: "# Result\n\n- one\n- two\n\n`code`", calls: [{ tool: "terminal", arguments: { command: "rm -rf build && npm test" } }] },
    { calls: [{ tool: "clarify", arguments: { question: "Which?", choices: ["This", "That"] } }] },
    { says: "Done." },
  ]);
  const view = await bench.window();
  await until("the window is up", () => view.find("textbox", "Message"));
  const check = async (screen) => {
    for (const theme of ["light", "dark"]) {
      await view.js("document.documentElement.dataset.theme = arguments[0]", theme);
      assert.deepEqual(await findings(view), [], `${screen}, ${theme}`);
    }
  };
  await check("new chat");
  await view.send("Look at it");
  await until("the command asks", () => view.find("button", "Allow once"));
  await check("approval");
  await view.click("button", "Deny");
  await view.sees("Which?");
  await check("question");
  await view.click("button", "Skip");
  await view.sees("Done.");
  await view.idle();
  await check("chat");
});

test("the screen of a failed start is usable with a screen reader", options, async (t) => {
  const bench = new Bench(t);
  writeFileSync(join(bench.home, "state.db"), Buffer.alloc(8192, 7));
  const view = await bench.window();
  await view.sees("could not open its data");
  for (const theme of ["light", "dark"]) {
    await view.js("document.documentElement.dataset.theme = arguments[0]", theme);
    assert.deepEqual(await findings(view), [], theme);
  }
});

test("I allow and deny with the keyboard alone", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([
    { calls: [{ tool: "terminal", arguments: { command: "touch one" } }] },
    { calls: [{ tool: "terminal", arguments: { command: "touch two" } }] },
    { says: "Finished." },
  ]);
  const view = await bench.window();
  await until("the window is up", () => view.find("textbox", "Message"));
  await view.press("Do it", Key.ENTER);
  await until("the command asks", () => view.find("button", "Allow once"));
  const focusCard = async () => {
    await until("the card has the focus", async () => {
      if (await view.js("return document.activeElement?.closest('[data-request]') !== null && document.activeElement?.closest('[data-request]') !== undefined")) return true;
      await view.chord(Key.SHIFT, Key.TAB);
      return false;
    });
  };
  await focusCard();
  await view.chord(Key.CONTROL, Key.ENTER);
  await until("the second asks", async () => (await view.text()).includes("touch two") && (await view.find("button", "Allow once")));
  await focusCard();
  await view.press(Key.ESCAPE);
  await view.sees("Finished.");
  const { existsSync } = await import("node:fs");
  assert.equal(existsSync(join(bench.project, "one")), true);
  assert.equal(existsSync(join(bench.project, "two")), false);
});
