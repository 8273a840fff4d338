// @ts-check
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { scenario, until } from "./harness.mjs";
import { call, run } from "./scripts.mjs";
import { Key } from "./view.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Asserts that the screen has no serious or critical finding in either theme. @param {import("./view.mjs").View} view @param {string} screen */
async function check(view, screen) {
  for (const theme of ["light", "dark"]) {
    await view.theme(theme);
    await view.js(`if (!window.axe) { ${axe} }`);
    const violations = await view.jsLater(
      `const done = arguments[arguments.length - 1];
       axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => done(violations), (error) => done(String(error)));`,
    );
    assert.ok(Array.isArray(violations), `axe failed: ${violations}`);
    const grave = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(", ")}`);
    assert.deepEqual(grave, [], `${screen}, ${theme}`);
  }
}

scenario("every screen is usable with a screen reader, in light and dark", async (bench) => {
  await bench.model([
    {
      thinks: "Look first.",
      says: "# Result\n\n- one\n- two\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nconst a = 1;\n```\n\n`code`, [link](https://example.com)",
      calls: [call("todo", { todos: [{ id: "1", content: "Look", status: "in_progress" }] }), run("rm -rf build && npm test")],
    },
    { calls: [call("write_file", { path: "src/words.js", content: "export const words = 1;\n" })] },
    { calls: [call("clarify", { question: "Which?", choices: ["This", "That"] })] },
    { says: "Done." },
    { http: { status: 401, body: "{}" } },
  ]);
  const view = await bench.window();
  await view.wait("heading", "New chat");
  await check(view, "new chat");
  await view.send("Look at it");
  await view.asks("rm -rf build");
  await check(view, "approval of a command");
  await view.click("button", "Allow once");
  await view.asks("Change this file");
  await check(view, "approval of a change");
  await view.click("button", "Deny");
  await view.asks("Which?");
  await check(view, "question");
  await view.click("button", "Skip");
  await view.sees("Done.");
  await view.idle();
  await view.unfold();
  await check(view, "chat");
  await view.click("button", "Model: ");
  await view.wait("dialog", "Model");
  await check(view, "model menu");
  await view.press(Key.ESCAPE);
  await view.send("Once more");
  await view.sees("The key was refused");
  await check(view, "failed turn");
});

scenario("the welcome of a fresh machine is usable with a screen reader", async (bench) => {
  const view = await bench.window();
  await view.wait("heading", "Welcome to Talaria");
  await check(view, "welcome");
});

scenario("the screen of a failed start is usable with a screen reader", async (bench) => {
  writeFileSync(join(bench.home, "state.db"), Buffer.alloc(8192, 7));
  const view = await bench.window();
  await view.wait("heading", "Talaria could not open its data");
  await check(view, "failed start");
});

/** Tabs on until the element with the focus has this name. @param {import("./view.mjs").View} view @param {string} name */
async function tabTo(view, name) {
  for (let step = 0; step < 40; step += 1) {
    const focused = await view.js(
      `const element = document.activeElement; return (element.getAttribute("aria-label") ?? element.innerText ?? "").trim()`,
    );
    if (focused.split("\n")[0] === name) return;
    await view.press(Key.TAB);
  }
  assert.fail(`Tab never reaches “${name}”`);
}

scenario("I work with the keyboard alone: write, allow, deny with a note, answer, stop", async (bench) => {
  await bench.model([
    { calls: [run("touch one")] },
    { calls: [run("touch two")] },
    { calls: [run("touch three")] },
    { calls: [run("touch four")] },
    { calls: [call("clarify", { question: "Which?", choices: ["This", "That"] })] },
    { says: ["Almost ", "done"], gate_after: { chunks: 2, file: "rest" } },
  ]);
  const view = await bench.window();
  await view.wait("textbox", "Message");
  await view.press("Do it", Key.ENTER);
  await view.asks("touch one");
  const onCard = () => view.js("return document.activeElement.hasAttribute('data-request')");
  await until("the card takes the focus", onCard);
  // Enter alone must not allow: it may have been meant for what stood here a moment ago.
  await view.press(Key.ENTER);
  assert.ok(await onCard());
  await tabTo(view, "Allow once");
  assert.equal(bench.file("one"), null);
  await view.press(Key.ENTER);
  await view.asks("touch two");
  assert.equal(bench.file("one"), "");
  await until("the next card takes the focus", onCard);
  await view.chord(Key.CONTROL, Key.ENTER);
  await view.asks("touch three");
  assert.equal(bench.file("two"), "");
  await until("the next card takes the focus", onCard);
  await view.press(Key.ESCAPE);
  await view.asks("touch four");
  await until("the next card takes the focus", onCard);
  await tabTo(view, "Deny with a note");
  await view.press(Key.ENTER);
  await until("the note takes the focus", () => view.js("return document.activeElement.tagName === 'INPUT' || document.activeElement.tagName === 'TEXTAREA'"));
  await view.press("two are enough", Key.ENTER);
  await view.asks("Which?");
  assert.match(bench.lastResult(), /two are enough/);
  assert.equal(bench.file("three"), null);
  assert.equal(bench.file("four"), null);
  await until("the question takes the focus", () => view.js("return document.activeElement.closest('[data-request]') !== null"));
  await view.press("2");
  await view.chord(Key.CONTROL, Key.ENTER);
  await view.sees("Almost");
  assert.match(bench.lastResult(), /That/);
  await view.press(Key.ESCAPE);
  await view.idle();
  assert.equal(bench.requests().length, 6);
});
