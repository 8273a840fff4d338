// @ts-check
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { scenario, until } from "./harness.mjs";
import { run } from "./scripts.mjs";
import { Key } from "./view.mjs";

/** Counts a text in every frame that is painted. @param {import("./view.mjs").View} view @param {string} text */
async function watch(view, text) {
  await view.js(
    `window.__most = 0;
     const look = () => {
       const feed = document.querySelector("[role=feed]")?.innerText ?? "";
       window.__most = Math.max(window.__most, feed.split(arguments[0]).length - 1);
       requestAnimationFrame(look);
     };
     look();`,
    text,
  );
}

scenario("my first message is answered once, and the chat is there after a restart", async (bench) => {
  await bench.model([{ says: ["Hello ", "from ", "the model."], pace_ms: 60 }]);
  let view = await bench.window();
  await view.wait("textbox", "Message");
  await watch(view, "Hello from");
  await view.send("Good morning");
  await view.sees("Hello from the model.");
  await view.idle();
  assert.equal(await view.count("Hello from the model."), 1);
  assert.equal(await view.count("Good morning"), 1);
  assert.equal(await view.js("return window.__most"), 1, "some frame showed the answer twice");
  await view.close();
  view = await bench.window();
  await view.openChat("Good morning");
  await view.sees("Hello from the model.");
  assert.equal(await view.count("Hello from the model."), 1);
  assert.equal(await view.count("Good morning"), 1);
  assert.equal(bench.requests().length, 1, "the restart asked the model again");
});

scenario("the demo on a fresh machine asks me, mends its sample project and passes the tests", async (bench) => {
  const view = await bench.window();
  await view.click("button", "Try the demo (scripted)");
  const answered = { "Allow once": 0, Answer: 0 };
  for (;;) {
    const next = await until(
      "the demo asks, or ends",
      async () => {
        if (await view.find("button", "Allow once")) return "Allow once";
        if (await view.find("button", "Answer")) return "Answer";
        const ran = (await view.all("[role=article]")) > 0 && !(await view.running());
        return ran && answered.Answer > 0 ? "end" : null;
      },
      40_000,
    );
    if (next === "end") break;
    const before = await view.js("return document.querySelector('[data-request]').dataset.request");
    if (next === "Answer") await view.js("document.querySelector('[data-request] input[type=radio]').click()");
    await view.click("button", next);
    answered[next] += 1;
    await until("the card is gone", async () => (await view.all(`[data-request="${before}"]`)) === 0);
  }
  assert.deepEqual(answered, { "Allow once": 3, Answer: 1 }, "two test runs, one edit and one question");
  await view.sees("The tests ran again: all passed.");
  await view.wait("button", "Model: Demo (scripted)");
  const [sample] = readdirSync(bench.folder, { recursive: true }).map(String).filter((file) => file.endsWith("/total.sh"));
  const tests = spawnSync("sh", [join(bench.folder, dirname(sample ?? ""), "tests/run.sh")], { encoding: "utf8" });
  assert.equal(tests.status, 0, `the sample project is not mended: ${tests.stdout}`);
});

scenario("Esc stops the answer at once, and my next message is understood", async (bench, t) => {
  await bench.model([
    { says: ["A long ", "answer"], gate_after: { chunks: 2, file: "rest" } },
    { says: "I am listening." },
  ]);
  const view = await bench.window();
  await view.send("Begin");
  await view.sees("A long");
  await measureStop(view);
  await view.press(Key.ESCAPE);
  await stopped(view, t, "while an answer streams");
  assert.equal(await view.count("A long"), 1, "what had come is kept");
  await view.send("Are you there?");
  await view.sees("I am listening.");
  await view.idle();
});

scenario("Esc stops a running command and all it has started", async (bench, t) => {
  await bench.model([{ calls: [run("touch begun; sleep 100 | sleep 100; touch ended")] }, { says: "I am listening." }]);
  const view = await bench.window();
  await view.send("Begin");
  await view.click("button", "Allow once");
  await until("the command runs", () => bench.file("begun") !== null);
  await until("its children run", () => bench.processes("sleep").length === 2);
  await view.click("textbox", "Message");
  await measureStop(view);
  await view.press(Key.ESCAPE);
  await stopped(view, t, "while a command runs");
  await until("no child is left", () => bench.processes("sleep").length === 0);
  assert.equal(bench.file("ended"), null);
  await view.send("Are you there?");
  await view.sees("I am listening.");
});

/** Measures from the next key to the first frame without a running turn. @param {import("./view.mjs").View} view */
async function measureStop(view) {
  await view.js(
    `window.__stopped = null;
     addEventListener("keydown", () => {
       const from = performance.now();
       const look = () => document.querySelector('main button[aria-label="Stop"]')
         ? requestAnimationFrame(look) : (window.__stopped = performance.now() - from);
       look();
     }, { once: true, capture: true });`,
  );
}

/**
 * @param {import("./view.mjs").View} view
 * @param {import("node:test").TestContext} t
 * @param {string} when
 */
async function stopped(view, t, when) {
  const took = await until("the turn has stopped", () => view.js("return window.__stopped"));
  t.diagnostic(`idle ${Math.round(took)} ms after Esc, ${when}`);
  assert.ok(took < 200, `the window was idle only ${took} ms after Esc`);
}

scenario("what I write while the agent works steers it, and Ctrl+Enter queues it for later", async (bench) => {
  await bench.model([
    { calls: [run("echo one")], gate: "first" },
    { says: "Both heard.", gate: "second" },
    { says: "The queue is empty." },
  ]);
  const view = await bench.window();
  await view.send("Begin");
  await bench.reached("first");
  await view.send("Use short words");
  await view.send("Then tidy up", [Key.CONTROL, Key.ENTER]);
  await view.sees("1 queued");
  bench.open("first");
  await bench.reached("second");
  const steered = bench.requests().at(-1)?.messages ?? [];
  assert.ok(JSON.stringify(steered).includes("Use short words"), "the model did not hear it in this turn");
  assert.ok(!JSON.stringify(steered).includes("Then tidy up"), "the queued message came too early");
  bench.open("second");
  await view.sees("The queue is empty.");
  await view.idle();
  assert.ok(JSON.stringify(bench.requests().at(-1)).includes("Then tidy up"));
  assert.equal(await view.count("Use short words"), 1);
  assert.equal(await view.count("Then tidy up"), 1);
  assert.ok(!(await view.text()).includes("queued"), "the queue is not empty");
});

scenario("a model cannot bring a script, a wrong link or terminal codes into the page", async (bench) => {
  const evil = [
    "<script>window.__pwned = 1</script><img src=x onerror=\"window.__pwned = 1\"><iframe srcdoc=\"<script>top.__pwned=1</script>\"></iframe>",
    "[click](javascript:window.__pwned=1) [data](data:text/html,<script>1</script>) <a href=\"javascript:window.__pwned=1\">raw</a>",
    "\u001b]0;x\u0007\u001b[2Jcodes and the end",
  ].join("\n\n");
  await bench.model([
    { says: evil, calls: [run("printf '\\033[31mred\\033[0m\\033]0;title\\007\\033]8;;javascript:alert(1)\\007link\\033]8;;\\007 <b onclick=x>bold</b>'")] },
    { says: evil },
  ]);
  const view = await bench.window();
  await view.send("<img src=x onerror=\"window.__pwned = 1\">");
  await until("both answers are there", async () => (await view.count("codes and the end")) === 2);
  await view.idle();
  await view.js(`for (const link of document.querySelectorAll("[role=feed] a, [role=feed] [role=link]")) link.click()`);
  await view.unfold();
  await view.sees("bold");
  assert.equal(await view.js("return window.__pwned ?? null"), null);
  assert.equal(
    await view.all("[role=feed] :is(script, iframe, img, [onerror], [onclick], a[href^='javascript' i], a[href^='data' i])"),
    0,
  );
  assert.ok(!(await view.text()).includes("\u001b"), "terminal codes are in the page");
  assert.ok((await view.text()).includes("<b onclick=x>bold</b>"), "markup in output is shown as text");
});
