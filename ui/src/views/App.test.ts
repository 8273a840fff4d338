import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import App from "../App.svelte";
import type { ApprovalParams, BootFailure, Row, SessionSnapshot, SessionSummary } from "../bindings/protocol";
import { ScriptedHost } from "../host/scripted";
import { logLines } from "./log-lines";
import { shortcut, type Shortcut } from "./shortcuts";

beforeEach(() => localStorage.clear());

const USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 0,
  last_prompt_tokens: 0,
};
const ROUTE = { provider: "ollama", model: "m", base_url: null, api_key_env: null };

const FAILURE: BootFailure = {
  error: {
    kind: "storage",
    layer: "disk",
    message: "The database is locked by another program.",
    hint: "Close it.",
    retryable: true,
    key: "error.disk.locked",
    values: {},
  },
  log_tail: ["2025-06-01T14:21:17.134Z ERROR cannot open state.db", "a line of its own"],
  home: "/home/you/.talaria",
  log_path: "/home/you/.talaria/logs/talaria.log",
  held_by: "talariad, process 41822",
};

function summary(id: string): SessionSummary {
  return {
    session_id: id,
    title: `Chat ${id}`,
    title_is_users: false,
    preview: "",
    state: "idle",
    started_at: 1,
    last_active_at: Date.now() / 1000,
    project_dir: "/home/you/app",
    git_branch: null,
    model: ROUTE,
    approval_mode: "ask",
    message_count: 2,
    usage: USAGE,
    source: "desktop",
  };
}

function snapshot(id: string, rows: Row[], more: Partial<SessionSnapshot> = {}): SessionSnapshot {
  return {
    session: summary(id),
    rows,
    older_cursor: null,
    older_rows: 0,
    seq: 0,
    running_turn: null,
    todos: [],
    queue: [],
    queue_paused: false,
    open_requests: [],
    draft: "",
    ...more,
  };
}

function user(text: string): Row {
  return { type: "user", row_id: `u-${text}`, turn_id: "t", text, at: 1, delivery: "sent" };
}

function working() {
  return new ScriptedHost()
    .on("client.hello", () => ({
      protocol: "1.0",
      core_version: "0",
      epoch: "e",
      heartbeat_s: 15,
      features: [],
      global_seq: 0,
      replayed: false,
      notices: [],
      default_model: ROUTE,
      default_mode: "ask",
      machine: "m",
      home: "/h",
    }))
    .on("model.list", () => ({ models: [], servers: [], default_model: ROUTE }))
    .on("session.list", () => ({ sessions: [summary("a"), summary("b")], next_cursor: null }))
    .on("session.draft", () => ({}))
    .on("session.resume", ({ session_id }) => snapshot(session_id, [user(`asked in ${session_id}`)]));
}

/** The row of a chat in the sidebar. */
async function row(id: string): Promise<HTMLElement> {
  return within(await screen.findByRole("navigation", { name: "Sessions" })).findByRole("button", {
    name: new RegExp(`^Chat ${id}`),
  });
}

async function opened(host: ScriptedHost, id = "a") {
  const pointer = userEvent.setup();
  render(App, { host });
  await pointer.click(await row(id));
  return pointer;
}

test("a core that does not start has a screen of its own, with three ways on", async () => {
  const host = working();
  host.bootFailures = [FAILURE, FAILURE];
  const pointer = userEvent.setup();
  render(App, { host });
  expect(await screen.findByRole("heading", { name: "Talaria could not open its data" })).toBeTruthy();
  for (const text of [
    /locked by another program/,
    "Disk",
    "talariad, process 41822",
    /cannot open state.db/,
    "a line of its own",
  ]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
  await pointer.click(screen.getByRole("button", { name: "Open data folder" }));
  await pointer.click(screen.getByRole("button", { name: "Start in safe mode" }));
  await pointer.click(await screen.findByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("textbox", { name: "Message" })).toBeTruthy();
  expect({ safe: host.safeModes, revealed: host.revealed, ready: host.ready }).toEqual({
    safe: [false, true, false],
    revealed: 1,
    ready: 1,
  });
});

test("log lines give up their time and level; others stay whole", () => {
  expect(logLines(FAILURE.log_tail)).toEqual([
    { time: "14:21:17.134", level: "error", text: "cannot open state.db" },
    { time: "", level: "", text: "a line of its own" },
  ]);
});

test("a new chat creates its session with the first message, in the folder that was given", async () => {
  const host = working()
    .on("session.create", () => snapshot("new", []))
    .on("prompt.submit", () => ({ accepted: "started", turn_id: "t" }));
  const pointer = userEvent.setup();
  render(App, { host });
  await pointer.type(await screen.findByLabelText(/Folder/), "/home/you/app");
  await pointer.type(screen.getByRole("textbox", { name: "Message" }), "hello{Enter}");
  await waitFor(() => expect(host.calls.map((call) => call.method)).toContain("prompt.submit"));
  const [create, submit] = ["session.create", "prompt.submit"].map((method) =>
    host.calls.find((call) => call.method === method),
  );
  expect(create?.params).toMatchObject({ project_dir: "/home/you/app" });
  expect(submit?.params).toMatchObject({ session_id: "new", text: "hello" });
});

test("events of a chat that is not shown never appear in the one that is, and are there when it is opened", async () => {
  const host = working();
  const pointer = await opened(host, "a");
  await screen.findByText("asked in a");
  await pointer.click(await row("b"));
  await screen.findByText("asked in b");
  host.emit("a", { type: "row.added", payload: { row: user("meanwhile in a") } });
  await waitFor(() => expect(screen.queryByText("asked in a")).toBeNull());
  expect(screen.queryByText("meanwhile in a")).toBeNull();
  await pointer.click(await row("a"));
  expect(await screen.findByText("meanwhile in a")).toBeTruthy();
  expect(screen.queryByText("asked in b")).toBeNull();
});

test("a late answer for a chat that was left is not painted", async () => {
  const host = working();
  const gives = new Map<string, () => void>();
  host.on(
    "session.resume",
    ({ session_id }) =>
      new Promise((resolve) =>
        gives.set(session_id, () => resolve(snapshot(session_id, [user(`asked in ${session_id}`)]))),
      ),
  );
  const pointer = await opened(host, "a");
  await pointer.click(await row("b"));
  await waitFor(() => expect(gives.size).toBe(2));
  gives.get("b")?.();
  await screen.findByText("asked in b");
  gives.get("a")?.();
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.queryByText("asked in a")).toBeNull();
  expect(screen.getByText("asked in b")).toBeTruthy();
});

const PARAMS: ApprovalParams = {
  session_id: "a",
  request_id: "srq-1",
  call_id: "c",
  tool: "terminal",
  summary: "make",
  command: "make",
  parts: [],
  diff: null,
  arguments: {},
  cwd: "/home/you/app",
  target: { kind: "local", name: "this computer" },
  risk: [],
  choices: ["once", "deny"],
  allow_permanent: false,
  scope_preview: null,
};
const WAITING: Row = {
  type: "tool",
  row_id: "x",
  turn_id: "t",
  tool: {
    call_id: "c",
    name: "terminal",
    verb: "run",
    target: "make",
    arguments: {},
    state: "waiting",
    started_at: null,
    duration_ms: null,
    note: null,
    body: { type: "empty" },
    approval: null,
  },
};

function waiting() {
  const request = { id: "srq-1", request: { method: "approval" as const, params: PARAMS }, asked_at: 1 };
  return working().on("session.resume", ({ session_id }) =>
    snapshot(session_id, [user("go"), WAITING], {
      running_turn: "t",
      open_requests: session_id === "a" ? [request] : [],
    }),
  );
}

const card = () => screen.findByRole("group", { name: /Approval: Run this command/ });

test("an open question of a snapshot is shown again at its call, with the focus, and is announced", async () => {
  const host = waiting();
  await opened(host);
  const shown = await card();
  expect(shown.closest("[data-call]")).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(shown));
  expect(screen.getAllByRole("alert").some((region) => /Approval needed/.test(region.textContent ?? ""))).toBe(true);
});

test("Esc on the card denies and does not also stop the turn", async () => {
  const host = waiting().on("session.interrupt", () => ({}));
  const pointer = await opened(host);
  (await card()).focus();
  await pointer.keyboard("{Escape}");
  expect(host.answers).toEqual([{ method: "approval", id: "srq-1", result: { choice: "deny", note: null } }]);
  expect(host.calls.map((call) => call.method)).not.toContain("session.interrupt");
});

test("the next card keeps the focus, also when it came before the answer to the last one had arrived", async () => {
  const next: Row = { ...WAITING, row_id: "y", tool: { ...WAITING.tool, call_id: "d", target: "make test" } };
  const host = waiting().on("session.resume", ({ session_id }) =>
    snapshot(session_id, [user("go"), WAITING, next], {
      running_turn: "t",
      open_requests: [{ id: "srq-1", request: { method: "approval", params: PARAMS }, asked_at: 1 }],
    }),
  );
  let arrive = () => {};
  host.answer = () => new Promise((done) => (arrive = done));
  const pointer = await opened(host);
  const first = await card();
  first.focus();
  await pointer.keyboard("{Control>}{Enter}{/Control}");
  host.ask("srq-2", {
    method: "approval",
    params: { ...PARAMS, call_id: "d", request_id: "srq-2", command: "make test" },
  });
  await waitFor(() => expect(document.activeElement?.getAttribute("data-request")).toBe("srq-2"));
  arrive();
  await new Promise((done) => setTimeout(done));
  expect(document.activeElement?.getAttribute("data-request")).toBe("srq-2");
});

test("unfolding a group leaves its steps folded, the first one too", async () => {
  const step = (id: string): Row => ({
    ...WAITING,
    row_id: id,
    tool: {
      ...WAITING.tool,
      call_id: id,
      target: `make ${id}`,
      state: "done",
      body: { type: "text", text: `output of ${id}`, truncated: false },
    },
  });
  const host = working().on("session.resume", ({ session_id }) =>
    snapshot(session_id, [user("go"), step("x"), step("y")]),
  );
  const pointer = await opened(host);
  await pointer.click(await screen.findByRole("button", { name: /2 steps/ }));
  expect(await screen.findByText("make x")).toBeTruthy();
  expect(screen.queryByText("output of x")).toBeNull();
});

test("Esc elsewhere stops the turn once, and the window is idle at once", async () => {
  const host = waiting().on("session.interrupt", () => new Promise(() => {}));
  const pointer = await opened(host);
  await card();
  await pointer.click(screen.getByRole("textbox", { name: "Message" }));
  await pointer.keyboard("{Escape}{Escape}");
  expect(screen.queryByRole("button", { name: "Stop" })).toBeNull();
  expect(host.calls.filter((call) => call.method === "session.interrupt")).toHaveLength(1);
});

test("a question that was answered elsewhere goes without an answer from here", async () => {
  const host = waiting();
  await opened(host);
  await card();
  host.emit("a", { type: "request.cancel", payload: { id: "srq-1", method: "approval", reason: "resolved" } });
  await waitFor(() => expect(screen.queryByRole("group", { name: /Approval:/ })).toBeNull());
  expect(host.answers).toEqual([]);
});

test("a chat that is gone leaves its unsent text in a new one", async () => {
  const host = working();
  const pointer = await opened(host);
  await screen.findByText("asked in a");
  await pointer.type(screen.getByRole("textbox", { name: "Message" }), "unsent");
  host.emit(null, { type: "sessions.changed", payload: { session: null, removed: "a" } });
  expect(await screen.findByRole("heading", { name: "New chat" })).toBeTruthy();
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" }).value).toBe("unsent");
});

test("auto needs a typed confirmation", async () => {
  const host = working().on("approvals.mode.set", ({ mode }) => ({ mode }));
  const pointer = await opened(host);
  await pointer.click(screen.getByRole("button", { name: /Ask/ }));
  await pointer.click(await screen.findByRole("menuitemradio", { name: /Auto/ }));
  await pointer.click(await screen.findByRole("button", { name: "Run without asking" }));
  expect(host.calls.map((call) => call.method)).not.toContain("approvals.mode.set");
  await pointer.type(screen.getByLabelText(/to confirm/), "auto");
  await pointer.click(screen.getByRole("button", { name: "Run without asking" }));
  expect(host.calls.filter((call) => call.method === "approvals.mode.set")).toMatchObject([
    { params: { session_id: "a", mode: "auto" } },
  ]);
});

test.each<[string, Partial<KeyboardEvent>, Shortcut | null]>([
  ["mod+N", { key: "n", ctrlKey: true }, "new_chat"],
  ["mod+B", { key: "b", metaKey: true }, "sidebar"],
  ["mod+L", { key: "l", ctrlKey: true }, "composer"],
  ["mod+Shift+M", { key: "M", ctrlKey: true, shiftKey: true }, "models"],
  ["mod+Shift+F", { key: "F", ctrlKey: true, shiftKey: true }, "search"],
  ["Esc", { key: "Escape" }, "escape"],
  ["a bare letter", { key: "n" }, null],
  ["AltGr+L", { key: "l", ctrlKey: true, altKey: true }, null],
])("%s is read as a key of the window or left alone", (_name, key, meaning) => {
  expect(shortcut({ key: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...key })).toBe(meaning);
});
