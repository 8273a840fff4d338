import { expect, test } from "vitest";
import type { SessionState, SessionSummary } from "../../bindings/protocol";
import { ScriptedHost } from "../../host/scripted";
import { SessionList } from "./list.svelte";

const USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 0,
  last_prompt_tokens: 0,
};

function row(id: string, last_active_at: number, state: SessionState = "idle", title = id): SessionSummary {
  return {
    session_id: id,
    title,
    title_is_users: false,
    preview: "",
    state,
    started_at: 1,
    last_active_at,
    project_dir: null,
    git_branch: null,
    model: null,
    approval_mode: "ask",
    message_count: 1,
    usage: USAGE,
    source: "desktop",
  };
}

const ids = (list: SessionList) => list.sessions.map((session) => session.session_id);
const changed = (session: SessionSummary | null, removed: string | null = null) =>
  ({ session_id: null, seq: 1, type: "sessions.changed", payload: { session, removed } }) as const;

function listed(...sessions: SessionSummary[]) {
  const host = new ScriptedHost().on("session.list", () => ({ sessions, next_cursor: null }));
  return { host, list: new SessionList(host) };
}

/** A list whose answers the test gives by hand. */
function manual() {
  const host = new ScriptedHost();
  const gives: ((sessions: SessionSummary[]) => void)[] = [];
  host.on(
    "session.list",
    () => new Promise((resolve) => gives.push((sessions) => resolve({ sessions, next_cursor: null }))),
  );
  return { host, list: new SessionList(host), gives };
}

test("the list is what the store has, newest first", async () => {
  const { list } = listed(row("a", 1), row("b", 3), row("c", 2));
  await list.refresh();
  expect(ids(list)).toEqual(["b", "c", "a"]);
  expect(list.state).toBe("ready");
});

test("a refresh never drops a live row or the one that is shown", async () => {
  const { host, list } = listed(
    row("running", 5, "running"),
    row("waits", 4, "needs_you"),
    row("shown", 3),
    row("gone", 2),
  );
  await list.refresh();
  list.select("shown");
  host.on("session.list", () => ({ sessions: [row("other", 9)], next_cursor: null }));
  await list.refresh();
  expect(ids(list)).toEqual(["other", "running", "waits", "shown"]);
});

test("a row that changed while the store answered keeps its newer form", async () => {
  const { list, gives } = manual();
  const refresh = list.refresh();
  list.receive(changed(row("a", 9, "running", "new title")));
  gives[0]?.([row("a", 1, "idle", "old title")]);
  await refresh;
  expect(list.sessions).toMatchObject([{ title: "new title", state: "running" }]);
});

test("a row that was created while the store answered is kept", async () => {
  const { list, gives } = manual();
  const refresh = list.refresh();
  list.receive(changed(row("fresh", 9)));
  gives[0]?.([row("a", 1)]);
  await refresh;
  expect(ids(list)).toEqual(["fresh", "a"]);
});

test("a row that was removed while the store answered does not come back", async () => {
  const { list, gives } = manual();
  const refresh = list.refresh();
  list.receive(changed(null, "a"));
  gives[0]?.([row("a", 1), row("b", 2)]);
  await refresh;
  expect(ids(list)).toEqual(["b"]);
});

test.each([
  ["in order", [0, 1]],
  ["the older one last", [1, 0]],
])("of two refreshes the newer one counts when they answer %s", async (_name, order) => {
  const { list, gives } = manual();
  const both = [list.refresh(), list.refresh()];
  const answers = [[row("old", 1)], [row("new", 1)]];
  for (const i of order) gives[i]?.(answers[i] ?? []);
  await Promise.all(both);
  expect(ids(list)).toEqual(["new"]);
});

test("a failed refresh says so and keeps the rows", async () => {
  const { host, list } = listed(row("a", 1));
  await list.refresh();
  host.on("session.list", () => {
    throw new Error("the disk is gone");
  });
  await list.refresh();
  expect({ ids: ids(list), state: list.state, why: list.failure?.message }).toEqual({
    ids: ["a"],
    state: "failed",
    why: "the disk is gone",
  });
  host.on("session.list", () => ({ sessions: [row("a", 1)], next_cursor: null }));
  await list.refresh();
  expect(list.state).toBe("ready");
});

test("a rename paints at once and rolls back when it is refused", async () => {
  const { host, list } = listed(row("a", 1));
  await list.refresh();
  let refuse: () => void = () => {};
  host.on("session.rename", () => new Promise((_, reject) => (refuse = () => reject(new Error("read-only")))));
  const rename = list.rename("a", "  Better  ");
  expect(list.sessions[0]?.title).toBe("Better");
  refuse();
  expect(await rename).toMatchObject({ message: "read-only" });
  expect(list.sessions[0]?.title).toBe("a");
});

test("a blank title and the same title change nothing", async () => {
  const { host, list } = listed(row("a", 1));
  await list.refresh();
  await list.rename("a", "   ");
  await list.rename("a", "a");
  expect(host.calls.map((call) => call.method)).toEqual(["session.list"]);
});

test("a delete hides the row at once, and restore brings it back", async () => {
  const { host, list } = listed(row("a", 1));
  await list.refresh();
  host.on("session.delete", () => ({ undo_until: 1 })).on("session.restore", () => ({ session: row("a", 1) }));
  const removal = list.remove("a");
  expect(ids(list)).toEqual([]);
  await removal;
  await list.restore("a");
  expect(ids(list)).toEqual(["a"]);
});

test("a delete that is refused shows the row again", async () => {
  const { host, list } = listed(row("a", 1));
  await list.refresh();
  host.on("session.delete", () => {
    throw new Error("no");
  });
  await list.remove("a");
  expect(ids(list)).toEqual(["a"]);
});

test("a turn that ends out of sight makes its row unread until it is opened", async () => {
  const { list } = listed(row("a", 1, "running"), row("b", 2, "running"));
  await list.refresh();
  list.select("b");
  list.receive(changed(row("a", 3)));
  list.receive(changed(row("b", 4)));
  expect([...list.unread]).toEqual(["a"]);
  list.select("a");
  expect([...list.unread]).toEqual([]);
});

test("a session without a message does not enter the list by its own events", async () => {
  const { list } = listed(row("a", 1));
  await list.refresh();
  list.receive({ session_id: "empty", seq: 1, type: "session.info", payload: { session: row("empty", 9) } });
  list.receive({ session_id: "a", seq: 1, type: "session.info", payload: { session: row("a", 1, "running") } });
  expect(list.sessions.map((session) => [session.session_id, session.state])).toEqual([["a", "running"]]);
});

test("sessions are grouped by the calendar day", async () => {
  const now = new Date(2025, 5, 10, 9, 0);
  const { list } = listed(
    row("now", now.getTime() / 1000),
    row("night", new Date(2025, 5, 9, 23, 59).getTime() / 1000),
  );
  await list.refresh();
  const groups = list.groups(now);
  expect([groups.today, groups.earlier].map((rows) => rows.map((session) => session.session_id))).toEqual([
    ["now"],
    ["night"],
  ]);
});
