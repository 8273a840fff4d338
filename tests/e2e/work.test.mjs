// @ts-check
import assert from "node:assert/strict";
import { scenario, until } from "./harness.mjs";
import { FIXED, MENDS, call, run } from "./scripts.mjs";

scenario("the agent mends my project: it reads, asks, edits, runs the tests green and reports", async (bench) => {
  await bench.model(MENDS);
  const view = await bench.window();
  await view.send("Mend the failing test");
  await view.asks("npm test");
  assert.ok((await view.text()).includes("words.js"), "the read file is not shown");
  assert.equal(bench.file("ran"), null, "the command ran before the answer");
  assert.equal(bench.requests().length, 2, "the model was asked before the answer");
  await view.click("button", "Allow once");
  await until("the command has run", () => bench.file("ran") !== null);
  await view.asks("Change this file");
  assert.match(bench.lastResult(), /# fail 1/);
  const diff = await view.js(`return document.querySelector("[data-request] .diff").innerText`);
  assert.match(diff, /split\(" "\)/, "the card does not show what goes");
  assert.match(diff, /split\(\/ \+\/\)/, "the card does not show what comes");
  assert.notEqual(bench.file("src/words.js"), FIXED, "the file changed before the answer");
  await view.click("button", "Allow once");
  await view.asks("npm test");
  assert.equal(bench.file("src/words.js"), FIXED);
  await view.click("button", "Allow once");
  await view.sees("all tests pass.");
  await view.idle();
  assert.match(bench.lastResult(), /# fail 0/);
  assert.equal(bench.requests().length, MENDS.length);
  await view.unfold();
  await view.sees("Allowed once by you");
  assert.equal(await view.count("Allowed once by you"), 3);
});

scenario("talariad mends the same project without a window", async (bench) => {
  await bench.model(MENDS);
  const { code, out } = await bench.talariad("run", "--approvals", "auto", "--json", "Mend the failing test");
  const events = out.trim().split("\n").map((line) => JSON.parse(line));
  const { session_id, usage, ...result } = events.at(-1);
  assert.deepEqual(result, {
    type: "result",
    status: "completed",
    final_response: "Several blanks count as one now, and all tests pass.",
    api_calls: MENDS.length,
    exit_reason: result.exit_reason,
    error: null,
  });
  assert.equal(code, 0);
  assert.equal(bench.file("src/words.js"), FIXED);
  assert.match(bench.lastResult(), /# fail 0/);
});

scenario("what I deny never runs, and the agent goes on to an answer", async (bench) => {
  await bench.model([{ calls: [run("touch never")] }, { says: "Then I leave it." }]);
  const view = await bench.window();
  await view.send("Make a file");
  await view.asks("touch never");
  await view.click("button", "Deny");
  await view.sees("Then I leave it.");
  await view.idle();
  assert.equal(bench.file("never"), null);
  assert.match(bench.lastResult(), /denied|blocked/, "the model was not told");
  await view.unfold();
  await view.sees("Denied by you");
});

scenario("what nobody can be asked about does not run without a window either", async (bench) => {
  await bench.model([{ calls: [run("touch never")] }, { says: "Then I leave it." }]);
  const { code, out } = await bench.talariad("run", "--approvals", "deny", "Make a file");
  assert.equal(code, 3);
  assert.match(out, /Then I leave it\./);
  assert.equal(bench.file("never"), null);
});

scenario("allowed for this session, the same command asks no more; another one does", async (bench) => {
  await bench.model([
    { calls: [run("touch one")] },
    { calls: [run("touch one")] },
    { calls: [run("touch other")] },
    { says: "Done." },
  ]);
  const view = await bench.window();
  await view.send("Make files");
  await view.asks("touch one");
  await view.click("button", "Allow for this session");
  await view.asks("touch other");
  assert.equal(bench.requests().length, 3);
  await view.click("button", "Deny with a note");
  const note = await view.wait("textbox", "Note for the agent");
  await note.sendKeys("one is enough");
  await view.click("button", "Deny");
  await view.sees("Done.");
  assert.match(bench.lastResult(), /one is enough/, "the note did not reach the model");
  assert.equal(bench.file("other"), null);
});

scenario("after a reload the open command, the question and the running answer are all there", async (bench) => {
  await bench.model([
    { calls: [run("echo made >> made")] },
    { calls: [call("clarify", { question: "Which colour?", choices: ["Red", "Blue"] })] },
    { says: ["First half, ", "second half."], gate_after: { chunks: 2, file: "rest" } },
    { says: "The file is made." },
    { says: "Blue it is." },
  ]);
  const view = await bench.window();
  await view.send("Make a file");
  await view.asks("echo made");
  await view.newChat();
  await view.send("Paint it");
  await view.asks("Which colour?");
  await view.newChat();
  await view.send("Tell me a story");
  await view.sees("First half,");
  await view.js("window.__before = true; location.reload()");
  await until("the page is new", () => view.js("return window.__before === undefined && document.readyState === 'complete'"));
  await view.openChat("Tell me a story");
  await view.sees("First half,");
  assert.ok(await view.running());
  bench.open("rest");
  await view.sees("second half.");
  await view.idle();
  assert.equal(await view.count("First half, second half."), 1);
  await view.openChat("Make a file");
  await view.asks("echo made");
  assert.equal(await view.all("[role=feed] [data-request]"), 1, "the card is there once");
  assert.equal(bench.file("made"), null);
  await view.click("button", "Allow once");
  await view.sees("The file is made.");
  await view.idle();
  assert.equal(bench.file("made"), "made\n", "the command ran once");
  await view.openChat("Paint it");
  await view.asks("Which colour?");
  assert.equal(await view.all("[role=feed] [data-request]"), 1, "the question is there once");
  await view.click("radio", "Blue");
  await view.click("button", "Answer");
  await view.sees("Blue it is.");
  await view.idle();
  assert.match(bench.lastResult(), /Blue/);
  assert.equal(bench.requests().length, 5);
});

scenario("the window and talariad share a home: neither harms the other, and each chat is in the list", async (bench) => {
  await bench.model([{ says: "slow answer", gate: "slow" }, { says: "from the terminal" }, { says: "again" }]);
  let view = await bench.window();
  await view.send("In the window");
  await bench.reached("slow");
  const { code, out } = await bench.talariad("run", "In the terminal");
  assert.equal(code, 0);
  assert.match(out, /from the terminal/);
  bench.open("slow");
  await view.sees("slow answer");
  await view.idle();
  await view.send("Once more");
  await view.sees("again");
  await view.idle();
  assert.equal(await view.count("slow answer"), 1);
  await view.js("location.reload()");
  await view.openChat("In the terminal");
  await view.sees("from the terminal");
  const listed = await bench.talariad("sessions", "list");
  assert.match(listed.out, /In the window/);
  assert.match(listed.out, /In the terminal/);
  await view.close();
  view = await bench.window();
  await view.openChat("In the terminal");
  assert.equal(await view.count("from the terminal"), 1);
});
