import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Bench, Key, missing, until } from "./harness.mjs";

const skip = missing();
const options = { skip, timeout: 180_000 };

const FIXED = `/** Words of a text, in lower case. */
export function words(text) {
  return text.toLowerCase().split(/ +/).filter(Boolean);
}
`;

/** What a model does that mends the sample project. */
const MENDS = [
  { says: "I look at the code first.", calls: [{ tool: "read_file", arguments: { path: "src/words.js" } }] },
  { calls: [{ tool: "terminal", arguments: { command: "node --test && touch ran" } }] },
  { calls: [{ tool: "write_file", arguments: { path: "src/words.js", content: FIXED } }] },
  { calls: [{ tool: "terminal", arguments: { command: "node --test" } }] },
  { says: "Several blanks count as one now, and all tests pass." },
];

test("my first message is answered once, and the chat is there after a restart", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([{ says: ["Hello ", "from the model."] }]);
  let view = await bench.window();
  await view.send("Good morning");
  await view.sees("Hello from the model.");
  await view.idle();
  assert.equal(await view.count("Hello from the model."), 1);
  assert.equal(await view.count("Good morning"), 1);
  await view.close();
  view = await bench.window();
  await view.click("button", "Good morning");
  await view.sees("Hello from the model.");
  assert.equal(await view.count("Hello from the model."), 1);
  assert.equal(await view.count("Good morning"), 1);
});

test("the demo on a fresh machine runs to its end", options, async (t) => {
  const bench = new Bench(t);
  const view = await bench.window();
  await view.click("button", "Try the demo");
  if ((await view.find("button", "Stop")) === null) {
    await until("the demo has begun or waits for a word", async () => (await view.find("textbox", "Message")) !== null);
    if (!(await view.text()).includes("scripted demo")) await view.send("start");
  }
  for (let step = 0; step < 8; step += 1) {
    const next = await until(
      "a question, or the end",
      async () => {
        if ((await view.text()).includes("That was the demo")) return "end";
        if (await view.find("button", "Allow once")) return "allow";
        if (await view.find("button", "Answer")) return "answer";
        return null;
      },
      60_000,
    );
    if (next === "end") break;
    if (next === "allow") await view.click("button", "Allow once");
    if (next === "answer") {
      const radio = await until("a choice", () => view.find("radio", ""));
      await view.js("arguments[0].click()", radio);
      await view.click("button", "Answer");
    }
    await until("the card is gone", async () => (await view.js("return document.querySelectorAll('[data-request]').length")) === 0);
  }
  await view.sees("all passed", 60_000);
});

test("the agent mends my project: it reads, asks, edits, runs the tests green and reports", options, async (t) => {
  const bench = new Bench(t);
  await bench.model(MENDS);
  const view = await bench.window();
  await view.send("Mend the failing test");
  await until("the command asks", () => view.find("button", "Allow once"));
  assert.ok((await view.text()).includes("node --test && touch ran") || (await view.text()).includes("touch ran"));
  assert.equal(existsSync(join(bench.project, "ran")), false, "it ran before the answer");
  await view.click("button", "Allow once");
  await until("the edit asks", async () => (await view.text()).includes("words.js?") || (await view.text()).includes("Change this file"));
  assert.ok(!readFileSync(join(bench.project, "src/words.js"), "utf8").includes("filter"), "it wrote before the answer");
  await view.click("button", "Allow once");
  await until("the second run asks", async () =>
    readFileSync(join(bench.project, "src/words.js"), "utf8").includes("filter") && (await view.find("button", "Allow once")));
  await view.click("button", "Allow once");
  await view.sees("all tests pass.");
  await view.idle();
  assert.equal(readFileSync(join(bench.project, "src/words.js"), "utf8"), FIXED);
  const last = bench.requests().at(-1);
  assert.ok(JSON.stringify(last).includes("# fail 0") || JSON.stringify(last).includes("fail 0"), "the tests are green");
});

test("the same without a window", options, async (t) => {
  const bench = new Bench(t);
  await bench.model(MENDS);
  const { code, out } = await bench.talariad("run", "--approvals", "auto", "--json", "Mend the failing test");
  const lines = out.trim().split("\n").map((line) => JSON.parse(line));
  const result = lines.at(-1);
  assert.equal(code, 0);
  assert.equal(result.type, "result");
  assert.equal(result.status, "completed");
  assert.match(result.final_response, /all tests pass/);
  assert.equal(result.api_calls, 5);
  assert.equal(readFileSync(join(bench.project, "src/words.js"), "utf8"), FIXED);
});

test("what I deny never runs, and the agent goes on to an answer", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([
    { calls: [{ tool: "terminal", arguments: { command: "touch never" } }] },
    { says: "Then I leave it." },
  ]);
  const view = await bench.window();
  await view.send("Make a file");
  await until("the command asks", () => view.find("button", "Allow once"));
  await view.click("button", "Deny");
  await view.sees("Then I leave it.");
  assert.equal(existsSync(join(bench.project, "never")), false);
  assert.ok((await view.text()).includes("Denied"));
});

test("after a reload the open command, question and answer are all there", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([
    { calls: [{ tool: "terminal", arguments: { command: "touch made" } }] },
    { calls: [{ tool: "clarify", arguments: { question: "Which colour?", choices: ["Red", "Blue"] } }] },
    { says: ["First half, ", "second half."], gate_after: { chunks: 2, file: "rest" } },
    { says: "The file is made." },
    { says: "Blue it is." },
  ]);
  const view = await bench.window();
  await view.send("Make a file");
  await until("the command asks", () => view.find("button", "Allow once"));
  await view.click("button", "New chat");
  await view.send("Paint it");
  await view.sees("Which colour?");
  await view.click("button", "New chat");
  await view.send("Tell me a story");
  await view.sees("First half,");
  await view.js("location.reload()");
  await view.click("button", "Tell me a story");
  await view.sees("First half,");
  bench.open("rest");
  await view.sees("second half.");
  await view.idle();
  assert.equal(await view.count("First half, second half."), 1);
  await view.click("button", "Make a file");
  await view.click("button", "Allow once");
  await view.sees("The file is made.");
  assert.ok(existsSync(join(bench.project, "made")));
  await view.click("button", "Paint it");
  const blue = await until("the choice", () => view.find("radio", "Blue"));
  await view.js("arguments[0].click()", blue);
  await view.click("button", "Answer");
  await view.sees("Blue it is.");
  assert.equal(bench.requests().length, 5);
});

test("Esc stops the answer at once, and my next message is understood", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([
    { says: ["A long ", "answer"], gate_after: { chunks: 2, file: "rest" } },
    { says: "I am listening." },
  ]);
  const view = await bench.window();
  await view.send("Begin");
  await view.sees("A long");
  await view.js(`
    window.__stopped = null;
    const began = () => performance.now();
    addEventListener('keydown', () => {
      const from = began();
      const look = () => document.querySelector('main button[aria-label="Stop"]') && performance.now() - from < 5000
        ? requestAnimationFrame(look) : (window.__stopped = performance.now() - from);
      look();
    }, { once: true, capture: true });`);
  await view.press(Key.ESCAPE);
  await view.idle();
  const took = await until("the stop is measured", () => view.js("return window.__stopped"));
  t.diagnostic(`idle ${Math.round(took)} ms after Esc`);
  bench.open("rest");
  await view.send("Are you there?");
  await view.sees("I am listening.");
});

test("a model cannot bring a script, a wrong link or terminal codes into the page", options, async (t) => {
  const bench = new Bench(t);
  const evil = "<script>window.__pwned = 1</script><img src=x onerror=\"window.__pwned = 1\"> [click](javascript:window.__pwned=1) \u001b]0;x\u0007done";
  await bench.model([
    { calls: [{ tool: "terminal", arguments: { command: "printf '\\033[31mred\\033[0m\\033]0;title\\007 <b>bold</b>'" } }] },
    { says: evil },
  ]);
  const view = await bench.window();
  await view.send("Be evil");
  await view.sees("done");
  await view.idle();
  assert.equal(await view.js("return window.__pwned ?? null"), null);
  assert.equal(await view.js("return document.querySelectorAll('[role=feed] script, [role=feed] img[onerror], [role=feed] a[href^=javascript]').length"), 0);
  assert.ok(!(await view.text()).includes("\u001b"));
});

test("a second window program on my home does no harm, and the other way round", options, async (t) => {
  const bench = new Bench(t);
  await bench.model([{ says: "slow", gate: "slow" }, { says: "from the terminal" }, { says: "again" }]);
  const view = await bench.window();
  await view.send("In the window");
  await bench.reached("slow");
  const { code, out } = await bench.talariad("run", "In the terminal");
  assert.equal(code, 0);
  assert.match(out, /from the terminal/);
  bench.open("slow");
  await view.sees("slow");
  await view.idle();
  await view.send("Once more");
  await view.sees("again");
  const listed = await bench.talariad("sessions", "list");
  assert.match(listed.out, /In the window/);
  assert.match(listed.out, /In the terminal/);
});
