import { expect, test } from "vitest";
import type { EventFrame, Row, SessionSnapshot, SessionSummary, ToolView } from "../../bindings/protocol";
import { ScriptedHost, type ScriptedEvent } from "../../host/scripted";
import { Transcript } from "./transcript.svelte";

const USAGE = {
  input_tokens: 1,
  output_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 1,
  last_prompt_tokens: 1,
};

function session(id = "s"): SessionSummary {
  return {
    session_id: id,
    title: "A chat",
    title_is_users: false,
    preview: "",
    state: "idle",
    started_at: 1,
    last_active_at: 1,
    project_dir: null,
    git_branch: null,
    model: null,
    approval_mode: "ask",
    message_count: 1,
    usage: USAGE,
    source: "desktop",
  };
}

function user(row_id: string, turn_id = "t1"): Row {
  return { type: "user", row_id, turn_id, text: `text of ${row_id}`, at: 1, delivery: "sent" };
}

function view(state: ToolView["state"]): ToolView {
  return {
    call_id: "c1",
    name: "terminal",
    verb: "run",
    target: "ls",
    arguments: {},
    state,
    started_at: 1,
    duration_ms: null,
    note: null,
    body: { type: "terminal", command: "ls", cwd: "/", exit_code: null, output: "", total_lines: 0, truncated: false },
    approval: null,
  };
}

function snapshot(rows: Row[], seq: number, more: Partial<SessionSnapshot> = {}): SessionSnapshot {
  return {
    session: session(),
    rows,
    older_cursor: null,
    older_rows: 0,
    seq,
    running_turn: null,
    todos: [],
    queue: [],
    queue_paused: false,
    open_requests: [],
    draft: "",
    ...more,
  };
}

/** Paints only when the test says so, as a frame would. */
function frames() {
  const waiting: (() => void)[] = [];
  return {
    schedule: (paint: () => void) => void waiting.push(paint),
    paint: () => waiting.splice(0).forEach((run) => run()),
  };
}

function opened(rows: Row[] = [], seq = 0, more: Partial<SessionSnapshot> = {}) {
  const host = new ScriptedHost().on("session.resume", () => snapshot(rows, seq, more));
  const frame = frames();
  const chat = new Transcript(host, "s", { epoch: () => "e1", schedule: frame.schedule, now: () => 100 });
  host.onEvent((event) => chat.receive(event));
  return { host, chat, ...frame };
}

function at(seq: number, event: ScriptedEvent, session_id = "s"): EventFrame {
  return { session_id, seq, ...event };
}

const delta = (text: string, row_id = "a1"): ScriptedEvent => ({
  type: "message.delta",
  payload: { turn_id: "t1", row_id, text },
});
const start: ScriptedEvent = { type: "message.start", payload: { turn_id: "t1", row: user("u1") } };
const complete = (text: string): ScriptedEvent => ({
  type: "message.complete",
  payload: {
    turn_id: "t1",
    status: "complete",
    text,
    row_id: "a1",
    usage: USAGE,
    error: null,
    exit_reason: "text_response",
  },
});
const texts = (chat: Transcript) => chat.rows.map((row) => ("text" in row ? row.text : row.type));

test("a turn paints its prompt, its text and its end exactly once", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start));
  expect(chat.running).toBe(true);
  chat.receive(at(2, delta("Hello ")));
  chat.receive(at(3, delta("there")));
  expect(texts(chat)).toEqual(["text of u1"]);
  paint();
  expect(texts(chat)).toEqual(["text of u1", "Hello there"]);
  chat.receive(at(4, complete("Hello there.")));
  paint();
  expect(texts(chat)).toEqual(["text of u1", "Hello there."]);
  expect(chat.rows[1]).toMatchObject({ streaming: false });
  expect(chat.running).toBe(false);
});

test("an event that came before is not applied twice", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start));
  chat.receive(at(2, delta("once")));
  chat.receive(at(2, delta("once")));
  chat.receive(at(1, start));
  paint();
  expect(texts(chat)).toEqual(["text of u1", "once"]);
});

test("events that the snapshot already holds are dropped, later ones are applied", async () => {
  const { host, chat, paint } = opened();
  let give: (value: SessionSnapshot) => void = () => {};
  host.on("session.resume", () => new Promise((resolve) => (give = resolve)));
  const loading = chat.load();
  chat.receive(at(1, start));
  chat.receive(at(2, delta("kept in the snapshot, ")));
  chat.receive(at(3, delta("after it")));
  give(
    snapshot(
      [
        user("u1"),
        { type: "assistant", row_id: "a1", turn_id: "t1", text: "kept in the snapshot, ", streaming: true, at: 1 },
      ],
      2,
      { running_turn: "t1" },
    ),
  );
  await loading;
  paint();
  expect(texts(chat)).toEqual(["text of u1", "kept in the snapshot, after it"]);
});

test("events of another session are never painted here", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start, "other"));
  chat.receive(at(2, delta("not mine"), "other"));
  paint();
  expect(chat.rows).toEqual([]);
  expect(chat.running).toBe(false);
});

test("a gap is closed from the core's memory, in order", async () => {
  const { host, chat, paint } = opened();
  await chat.load();
  host.on("events.since", ({ seq, epoch }) => {
    expect({ seq, epoch }).toEqual({ seq: 1, epoch: "e1" });
    return { complete: true, events: [at(2, delta("two ")), at(3, delta("three "))], open_requests: [] };
  });
  chat.receive(at(1, start));
  chat.receive(at(4, delta("four")));
  await expect.poll(() => (paint(), texts(chat))).toEqual(["text of u1", "two three four"]);
});

test("a gap that the core cannot close loads the chat again", async () => {
  const { host, chat } = opened();
  await chat.load();
  host.on("events.since", () => ({ complete: false, events: [], open_requests: [] }));
  host.on("session.resume", () => snapshot([user("u1"), user("u2", "t2")], 9));
  chat.receive(at(1, start));
  chat.receive(at(7, delta("lost context")));
  await expect.poll(() => texts(chat)).toEqual(["text of u1", "text of u2"]);
  chat.receive(at(9, delta("old")));
  expect(texts(chat)).toEqual(["text of u1", "text of u2"]);
});

test("a core that keeps leaving out events ends in a failure that can be retried, not in a loop", async () => {
  const { host, chat } = opened();
  await chat.load();
  host.on("events.since", () => ({ complete: true, events: [], open_requests: [] }));
  host.on("session.resume", () => {
    queueMicrotask(() => chat.receive(at(50, delta("far ahead"))));
    return snapshot([user("u1")], 9);
  });
  chat.receive(at(7, delta("gap")));
  await expect.poll(() => chat.state).toBe("failed");
  expect(texts(chat)).toEqual(["text of u1"]);
});

test.each([
  ["the first answers last", [1, 0]],
  ["the first answers first", [0, 1]],
])("of two loads only the newer one counts when %s", async (_name, order) => {
  const { host, chat } = opened();
  const gives: ((value: SessionSnapshot) => void)[] = [];
  host.on("session.resume", () => new Promise((resolve) => gives.push(resolve)));
  const loads = [chat.load(), chat.load()];
  const answers = [snapshot([user("old")], 1), snapshot([user("new")], 2)];
  for (const i of order) {
    const answer = answers[i];
    if (answer) gives[i]?.(answer);
    await Promise.resolve();
  }
  await Promise.all(loads);
  expect(texts(chat)).toEqual(["text of new"]);
});

test("an older page that arrives after a reload is dropped", async () => {
  const { host, chat } = opened([user("u5")], 1, { older_cursor: "c", older_rows: 4 });
  await chat.load();
  let give: (value: { rows: Row[]; older_cursor: null; older_rows: number }) => void = () => {};
  host.on("session.history", () => new Promise((resolve) => (give = resolve)));
  const older = chat.loadOlder();
  await chat.load();
  give({ rows: [user("u1")], older_cursor: null, older_rows: 0 });
  await older;
  expect(chat.rows.map((row) => row.row_id)).toEqual(["u5"]);
  expect(chat.olderCursor).toBe("c");
});

test("older pages come before what is there, and stay when the chat is loaded again", async () => {
  const { host, chat } = opened([user("u3"), user("u4")], 1, { older_cursor: "c", older_rows: 2 });
  await chat.load();
  host.on("session.history", () => ({ rows: [user("u1"), user("u2"), user("u3")], older_cursor: null, older_rows: 0 }));
  await chat.loadOlder();
  expect(chat.rows.map((row) => row.row_id)).toEqual(["u1", "u2", "u3", "u4"]);
  await chat.load();
  expect(chat.rows.map((row) => row.row_id)).toEqual(["u1", "u2", "u3", "u4"]);
  expect(chat.olderCursor).toBeNull();
});

test("a stop makes the chat idle before the core answers, and late text of that turn does not start it again", async () => {
  const { host, chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start));
  let done: () => void = () => {};
  host.on("session.interrupt", () => new Promise((resolve) => (done = () => resolve({}))));
  const stopping = chat.interrupt();
  expect(chat.running).toBe(false);
  chat.receive(at(2, delta("late")));
  paint();
  expect(chat.running).toBe(false);
  done();
  expect(await stopping).toBeNull();
});

test("a stop that the core refuses is rolled back", async () => {
  const { host, chat } = opened();
  await chat.load();
  chat.receive(at(1, start));
  host.on("session.interrupt", () => {
    throw new Error("no");
  });
  expect(await chat.interrupt()).toMatchObject({ message: "no" });
  expect(chat.running).toBe(true);
});

test("output is appended to the card of its call and the result replaces it", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, { type: "tool.start", payload: { turn_id: "t1", row_id: "x1", tool: view("running") } }));
  chat.receive(
    at(2, { type: "tool.progress", payload: { turn_id: "t1", row_id: "x1", call_id: "c1", text: "one\n" } }),
  );
  chat.receive(
    at(3, { type: "tool.progress", payload: { turn_id: "t1", row_id: "x1", call_id: "c1", text: "two\n" } }),
  );
  paint();
  expect(chat.rows[0]).toMatchObject({ tool: { body: { output: "one\ntwo\n", total_lines: 2 } } });
  const done = { ...view("done"), note: "exit 0" };
  chat.receive(at(4, { type: "tool.complete", payload: { turn_id: "t1", row_id: "x1", tool: done } }));
  expect(chat.rows).toEqual([{ type: "tool", turn_id: "t1", row_id: "x1", tool: done }]);
});

test("a thought ends when the answer begins and keeps its duration", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start));
  chat.receive(at(2, { type: "reasoning.delta", payload: { turn_id: "t1", row_id: "r1", text: "hm" } }));
  paint();
  expect(chat.rows[1]).toMatchObject({ type: "reasoning", streaming: true, duration_ms: null });
  chat.receive(at(3, delta("answer")));
  paint();
  expect(chat.rows[1]).toMatchObject({ type: "reasoning", streaming: false, duration_ms: 0 });
});

test("a failed turn shows one error, whichever way it is told", async () => {
  const error = {
    kind: "model" as const,
    layer: "stream" as const,
    message: "cut",
    hint: null,
    retryable: true,
    key: "k",
    values: {},
  };
  const { chat } = opened();
  await chat.load();
  chat.receive(at(1, start));
  chat.receive(
    at(2, {
      type: "message.complete",
      payload: { turn_id: "t1", status: "error", text: "", row_id: null, usage: USAGE, error, exit_reason: "x" },
    }),
  );
  chat.receive(
    at(3, { type: "row.added", payload: { row: { type: "error", row_id: "e1", turn_id: "t1", error, at: 2 } } }),
  );
  expect(chat.rows.map((row) => row.type)).toEqual(["user", "error"]);
  expect(chat.rows[1]?.row_id).toBe("e1");
  expect(chat.running).toBe(false);
});

test("an event of an unknown type is counted and changes nothing", async () => {
  const { chat, paint } = opened();
  await chat.load();
  chat.receive(at(1, start));
  chat.receive(JSON.parse(`{"session_id":"s","seq":2,"type":"message.reaction","payload":{}}`));
  chat.receive(at(3, delta("on")));
  paint();
  expect(chat.ignored).toBe(1);
  expect(texts(chat)).toEqual(["text of u1", "on"]);
});
