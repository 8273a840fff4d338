import type {
  ApprovalParams,
  BootFailure,
  ModelInfo,
  OpenRequest,
  QueueEntry,
  Row,
  SessionId,
  SessionSnapshot,
  SessionSummary,
  Todo,
  ToolBody,
  ToolView,
  TurnId,
  Usage,
} from "../bindings/protocol";
import { CallError, runtimeError, type Host } from "./host";
import { ScriptedHost, type Answered } from "./scripted";

/** One day in a small made-up project. `scene` chooses where it stands; what is typed starts a scripted turn. */
export function scenario(query: URLSearchParams): Host {
  return new Scenario(query.get("scene") ?? "main", Number(query.get("pace") ?? "1")).host;
}

interface Chat {
  summary: SessionSummary;
  rows: Row[];
  todos: Todo[];
  queue: QueueEntry[];
  paused: boolean;
  running: TurnId | null;
  open: OpenRequest[];
  draft: string;
  stopped: boolean;
}

const USAGE: Usage = {
  input_tokens: 46_200,
  output_tokens: 2_100,
  cache_read_tokens: 31_000,
  cache_write_tokens: 0,
  reasoning_tokens: 400,
  api_calls: 7,
  last_prompt_tokens: 49_800,
};
const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, api_calls: 0, last_prompt_tokens: 0 };
const QWEN = { provider: "ollama", model: "qwen3-coder:30b", base_url: null, api_key_env: null };
const DEMO = { provider: "demo", model: "demo", base_url: null, api_key_env: null };
const FOLDER = "/home/you/srv/tidewatch-api";

const MODELS: ModelInfo[] = [
  { route: QWEN, label: "Qwen3 Coder 30B", provider_label: "Ollama", source: "local_server", context_length: 131_072, tools: true },
  { route: { ...QWEN, model: "gemma3:4b" }, label: "Gemma 3 4B", provider_label: "Ollama", source: "local_server", context_length: 32_768, tools: false },
  { route: DEMO, label: "Demo (scripted)", provider_label: "Built in", source: "demo", context_length: null, tools: true },
];

class Scenario {
  readonly host = new ScriptedHost();
  #chats = new Map<SessionId, Chat>();
  #pace: number;
  #fresh: boolean;
  #next = 1;
  #waiting = new Map<string, (answer: Answered) => void>();
  #deleted = new Map<SessionId, Chat>();

  constructor(scene: string, pace: number) {
    this.#pace = pace;
    this.#fresh = scene === "fresh";
    if (scene === "boot") this.host.bootFailures = Array.from({ length: 99 }, () => LOCKED);
    if (!this.#fresh) for (const chat of others()) this.#chats.set(chat.summary.session_id, chat);
    this.#answer(scene);
    const first = SCENES[scene]?.();
    if (first) {
      this.#chats.set(first.summary.session_id, first);
      localStorage.setItem("talaria/window/session", first.summary.session_id);
    } else {
      localStorage.removeItem("talaria/window/session");
    }
    if (scene === "main" && first) setTimeout(() => void this.#keepTalking(first), 400);
  }

  #answer(scene: string): void {
    const { host } = this;
    host.onAnswer = (answer) => this.#waiting.get(answer.id)?.(answer);
    host
      .on("client.hello", () => ({
        protocol: "1.0",
        core_version: "0.1.0",
        epoch: "scripted",
        heartbeat_s: 15,
        features: [],
        global_seq: host.seq(null),
        replayed: false,
        notices:
          scene === "readonly"
            ? [{ notice_id: "db", level: "warning", key: "notice.database_newer", values: {}, text: "The database was written by a newer version and is open for reading only.", hint: "Update Talaria to go on with these chats." }]
            : [],
        default_model: this.#fresh ? null : QWEN,
        default_mode: "ask",
        machine: "workbench",
        home: "/home/you/.talaria",
      }))
      .on("session.list", ({ query }) => {
        if (scene === "listfail") throw new CallError({ ...runtimeError("error.disk", "the session list could not be read"), layer: "disk", kind: "storage" });
        const sessions = [...this.#chats.values()].map((chat) => chat.summary).sort((a, b) => b.last_active_at - a.last_active_at);
        const wanted = query?.toLowerCase() ?? "";
        return { sessions: sessions.filter((s) => `${s.title} ${s.preview}`.toLowerCase().includes(wanted)), next_cursor: null };
      })
      .on("session.create", ({ project_dir, model }) => {
        const id = `s-${this.#next++}`;
        const chat = makeChat(summary(id, "", "", 0, { project_dir: project_dir ?? FOLDER, model: model ?? (this.#fresh ? DEMO : QWEN), message_count: 0, git_branch: "main", usage: NO_USAGE }), []);
        this.#chats.set(id, chat);
        return this.#snapshot(chat);
      })
      .on("session.resume", ({ session_id }) => this.#snapshot(this.#chat(session_id)))
      .on("session.history", ({ session_id, cursor }) => {
        const upTo = Number(cursor);
        const from = Math.max(0, upTo - 80);
        return { rows: this.#chat(session_id).rows.slice(from, upTo), older_cursor: from > 0 ? String(from) : null, older_rows: from };
      })
      .on("session.rename", ({ session_id, title }) => {
        const chat = this.#chat(session_id);
        this.#change(chat, { title, title_is_users: true });
        return { session: chat.summary };
      })
      .on("session.delete", ({ session_id }) => {
        this.#deleted.set(session_id, this.#chat(session_id));
        this.#chats.delete(session_id);
        host.emit(null, { type: "sessions.changed", payload: { session: null, removed: session_id } });
        return { undo_until: Date.now() / 1000 + 10 };
      })
      .on("session.restore", ({ session_id }) => {
        const chat = this.#deleted.get(session_id);
        if (!chat) throw new CallError({ ...runtimeError("error.not_found", "no such chat"), kind: "not_found" });
        this.#chats.set(session_id, chat);
        return { session: chat.summary };
      })
      .on("session.interrupt", ({ session_id }) => {
        this.#stop(this.#chat(session_id));
        return {};
      })
      .on("session.draft", ({ session_id, text }) => {
        this.#chat(session_id).draft = text;
        return {};
      })
      .on("prompt.submit", ({ session_id, text, when_busy }) => this.#submit(this.#chat(session_id), text, when_busy === "queue"))
      .on("session.queue.edit", ({ session_id, entry_id, text }) =>
        this.#queue(session_id, (queue) => queue.map((entry) => (entry.entry_id === entry_id ? { ...entry, text } : entry))),
      )
      .on("session.queue.remove", ({ session_id, entry_id }) => this.#queue(session_id, (queue) => queue.filter((entry) => entry.entry_id !== entry_id)))
      .on("session.queue.move", ({ session_id, entry_id, index }) =>
        this.#queue(session_id, (queue) => {
          const entry = queue.find((candidate) => candidate.entry_id === entry_id);
          const rest = queue.filter((candidate) => candidate.entry_id !== entry_id);
          return entry ? rest.toSpliced(index, 0, entry) : rest;
        }),
      )
      .on("session.queue.resume", ({ session_id }) => {
        const chat = this.#chat(session_id);
        chat.paused = false;
        if (chat.running === null) this.#sendQueued(chat);
        return { entries: chat.queue, paused: chat.paused };
      })
      .on("model.list", () => ({
        models: this.#fresh ? MODELS.filter((model) => model.source === "demo") : MODELS,
        servers: ["Ollama", "LM Studio", "llama.cpp", "vLLM"].map((label, i) => ({
          provider: label.toLowerCase(),
          label,
          base_url: `http://127.0.0.1:${11434 + i}`,
          found: !this.#fresh && i === 0,
          models: !this.#fresh && i === 0 ? 2 : 0,
        })),
        default_model: this.#fresh ? null : QWEN,
      }))
      .on("model.set", ({ session_id, route }) => {
        if (session_id !== null) this.#change(this.#chat(session_id), { model: route });
        return { route, cache_lost: true };
      })
      .on("model.test", async () => {
        await this.#pause(700);
        return {
          ok: true,
          legs: ["key", "reach", "protocol", "model", "answer"].map((name, i) => ({ name, state: name === "key" ? ("skipped" as const) : ("done" as const), detail: name === "key" ? "not needed" : "", duration_ms: 3 + i * 41 })),
          error: null,
        };
      })
      .on("approvals.mode.set", ({ session_id, mode }) => {
        if (session_id !== null) this.#change(this.#chat(session_id), { approval_mode: mode });
        return { mode };
      })
      .on("events.since", () => ({ complete: false, events: [], open_requests: [] }))
      .on("tool.result", () => {
        const text = Array.from({ length: 41 }, (_, i) => `test case_${i + 1} ... \u001b[32mok\u001b[0m`).join("\n");
        return { text, total: text.length };
      });
  }

  #chat(id: SessionId): Chat {
    const chat = this.#chats.get(id);
    if (!chat) throw new CallError({ ...runtimeError("error.not_found", "this chat no longer exists"), kind: "not_found" });
    return chat;
  }

  #snapshot(chat: Chat): SessionSnapshot {
    const from = Math.max(0, chat.rows.length - 40);
    return {
      session: chat.summary,
      rows: chat.rows.slice(from),
      older_cursor: from > 0 ? String(from) : null,
      older_rows: from,
      seq: this.host.seq(chat.summary.session_id),
      running_turn: chat.running,
      todos: chat.todos,
      queue: chat.queue,
      queue_paused: chat.paused,
      open_requests: chat.open,
      draft: chat.draft,
    };
  }

  #change(chat: Chat, change: Partial<SessionSummary>): void {
    chat.summary = { ...chat.summary, ...change };
    this.host.emit(chat.summary.session_id, { type: "session.info", payload: { session: chat.summary } });
    this.host.emit(null, { type: "sessions.changed", payload: { session: chat.summary, removed: null } });
  }

  #queue(id: SessionId, change: (queue: QueueEntry[]) => QueueEntry[]) {
    const chat = this.#chat(id);
    chat.queue = change(chat.queue);
    this.host.emit(id, { type: "queue.updated", payload: { entries: chat.queue, paused: chat.paused } });
    return { entries: chat.queue, paused: chat.paused };
  }

  #submit(chat: Chat, text: string, queue: boolean) {
    const id = chat.summary.session_id;
    if (chat.running !== null && queue) {
      this.#queue(id, (entries) => [...entries, { entry_id: `q-${this.#next++}`, text }]);
      return { accepted: "queued" as const, turn_id: null };
    }
    if (chat.running !== null) {
      const row: Row = { type: "user", row_id: `r-${this.#next++}`, turn_id: chat.running, text, at: Date.now() / 1000, delivery: "steered" };
      chat.rows.push(row);
      this.host.emit(id, { type: "row.added", payload: { row } });
      return { accepted: "steered" as const, turn_id: chat.running };
    }
    const turn = `t-${this.#next++}`;
    void this.#turn(chat, turn, text);
    return { accepted: "started" as const, turn_id: turn };
  }

  #stop(chat: Chat): void {
    const turn = chat.running;
    if (turn === null) return;
    chat.running = null;
    chat.stopped = true;
    chat.paused = chat.queue.length > 0;
    const id = chat.summary.session_id;
    for (const { id: request, request: asked } of chat.open) {
      this.host.emit(id, { type: "request.cancel", payload: { id: request, method: asked.method, reason: "interrupted" } });
    }
    chat.open = [];
    this.host.emit(id, { type: "message.complete", payload: { turn_id: turn, status: "interrupted", text: "", row_id: null, usage: USAGE, error: null, exit_reason: "interrupted" } });
    this.host.emit(id, { type: "queue.updated", payload: { entries: chat.queue, paused: chat.paused } });
    this.#change(chat, { state: "idle", preview: "Stopped" });
  }

  #sendQueued(chat: Chat): void {
    const [entry] = chat.queue;
    if (!entry || chat.paused) return;
    this.#queue(chat.summary.session_id, (queue) => queue.slice(1));
    this.#submit(chat, entry.text, false);
  }

  /** A whole turn: thought, words, two reads, a command that asks, an edit, a test run, an answer. */
  async #turn(chat: Chat, turn: TurnId, text: string): Promise<void> {
    const id = chat.summary.session_id;
    const { host } = this;
    chat.running = turn;
    chat.stopped = false;
    const over = () => chat.running !== turn;
    const user: Row = { type: "user", row_id: `r-${this.#next++}`, turn_id: turn, text, at: Date.now() / 1000, delivery: "sent" };
    chat.rows.push(user);
    host.emit(id, { type: "message.start", payload: { turn_id: turn, row: user } });
    this.#change(chat, { title: chat.summary.title || text.slice(0, 48), state: "running", preview: "Thinking", last_active_at: Date.now() / 1000, message_count: chat.rows.length });
    await this.#pause(500);
    if (/fail/i.test(text) && /model|network/i.test(text)) return this.#fail(chat, turn);
    await this.#reason(chat, turn, "The person wants the failing test fixed. First look at the test, then at the code it covers.");
    if (over()) return;
    await this.#say(chat, turn, "I will read the test and the code it covers, then run it once to see the failure.", false);
    if (over()) return;
    const todos: Todo[] = [
      { id: "1", content: "Read the failing test", status: "in_progress" },
      { id: "2", content: "Find the cause", status: "pending" },
      { id: "3", content: "Fix it and run the tests", status: "pending" },
    ];
    const plan = (done: number) => {
      chat.todos = todos.map((todo, i) => ({ ...todo, status: i < done ? "completed" : i === done ? "in_progress" : "pending" }));
      host.emit(id, { type: "todo.updated", payload: { todos: chat.todos } });
    };
    plan(0);
    await this.#tool(chat, turn, { name: "read_file", verb: "read", target: "tests/retry.rs", note: "86 lines", body: { type: "text", text: RETRY_TEST, truncated: false } }, 120);
    await this.#tool(chat, turn, { name: "read_file", verb: "read", target: "src/delivery/worker.rs", note: "214 lines", body: { type: "text", text: RETRY_TEST, truncated: false } }, 90);
    if (over()) return;
    plan(1);
    const allowed = await this.#ask(chat, turn, "cargo test -p delivery --test retry");
    if (over()) return;
    if (allowed) {
      plan(2);
      await this.#tool(chat, turn, { name: "write_file", verb: "edit", target: "src/delivery/worker.rs", note: null, body: { type: "edit", files: [WORKER_DIFF] } }, 110);
    }
    if (over()) return;
    plan(3);
    await this.#say(
      chat,
      turn,
      allowed
        ? "The test passes now. The worker gave up after three quick attempts; it holds the job instead:\n\n- `backoff.rs` computes the delay: 2 s doubling to 30 min\n- `hold_until` keeps later jobs of that endpoint behind it\n\n```rust\nErr(e) if e.is_transient() => {\n    self.queue.hold_until(job, at).await?;\n}\n```\n"
        : "The command was not allowed, so I did not run it. From reading alone: the worker drops a job after three attempts, which the test forbids.",
      true,
    );
    if (over()) return;
    chat.running = null;
    this.#change(chat, { state: "idle", preview: allowed ? "The test passes now" : "The command was not allowed", usage: USAGE, last_active_at: Date.now() / 1000 });
    this.#sendQueued(chat);
  }

  #fail(chat: Chat, turn: TurnId): void {
    chat.running = null;
    const error = { kind: "model" as const, layer: "stream" as const, message: "No data for 60 s. The text so far is kept.", hint: "Try again, or choose another model.", retryable: true, key: "error.stream.silent", values: {} };
    const row: Row = { type: "error", row_id: `r-${this.#next++}`, turn_id: turn, error, at: Date.now() / 1000 };
    chat.rows.push(row);
    this.host.emit(chat.summary.session_id, { type: "row.added", payload: { row } });
    this.host.emit(chat.summary.session_id, { type: "message.complete", payload: { turn_id: turn, status: "error", text: "", row_id: null, usage: USAGE, error, exit_reason: "model_error" } });
    this.#change(chat, { state: "failed", preview: "The model stopped answering" });
  }

  async #reason(chat: Chat, turn: TurnId, text: string): Promise<void> {
    const row_id = `r-${this.#next++}`;
    const at = Date.now() / 1000;
    for (const piece of pieces(text)) {
      if (chat.running !== turn) break;
      this.host.emit(chat.summary.session_id, { type: "reasoning.delta", payload: { turn_id: turn, row_id, text: piece } });
      await this.#pause(45);
    }
    chat.rows.push({ type: "reasoning", row_id, turn_id: turn, text, streaming: false, at, duration_ms: Math.round(Date.now() - at * 1000) });
  }

  async #say(chat: Chat, turn: TurnId, text: string, last: boolean): Promise<void> {
    const row_id = `r-${this.#next++}`;
    const at = Date.now() / 1000;
    let said = "";
    for (const piece of pieces(text)) {
      if (chat.running !== turn) break;
      said += piece;
      this.host.emit(chat.summary.session_id, { type: "message.delta", payload: { turn_id: turn, row_id, text: piece } });
      await this.#pause(24);
    }
    const row: Row = { type: "assistant", row_id, turn_id: turn, text: said, streaming: false, at };
    chat.rows.push(row);
    if (chat.running !== turn) return;
    if (last) {
      this.host.emit(chat.summary.session_id, { type: "message.complete", payload: { turn_id: turn, status: "complete", text, row_id, usage: USAGE, error: null, exit_reason: "text_response" } });
      this.host.emit(chat.summary.session_id, { type: "session.usage", payload: { usage: USAGE } });
    } else this.host.emit(chat.summary.session_id, { type: "message.interim", payload: { turn_id: turn, row } });
  }

  async #tool(chat: Chat, turn: TurnId, what: Pick<ToolView, "name" | "verb" | "target" | "note" | "body">, ms: number): Promise<void> {
    if (chat.running !== turn) return;
    const id = chat.summary.session_id;
    const row_id = `r-${this.#next++}`;
    const base = tool(`c-${this.#next++}`, { ...what, state: "running", body: { type: "empty" }, note: null, duration_ms: null });
    this.host.emit(id, { type: "tool.generating", payload: { turn_id: turn, name: what.name } });
    await this.#pause(250);
    this.host.emit(id, { type: "tool.start", payload: { turn_id: turn, row_id, tool: base } });
    await this.#pause(ms * 4);
    const done: ToolView = { ...base, ...what, state: "done", duration_ms: ms };
    chat.rows.push({ type: "tool", row_id, turn_id: turn, tool: done });
    if (chat.running === turn) this.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: done } });
  }

  async #ask(chat: Chat, turn: TurnId, command: string): Promise<boolean> {
    const id = chat.summary.session_id;
    const row_id = `r-${this.#next++}`;
    const call_id = `c-${this.#next++}`;
    const request_id = `srq-${String(this.#next++).padStart(12, "0")}`;
    const body: ToolBody = { type: "terminal", command, cwd: FOLDER, exit_code: null, output: "", total_lines: 0, truncated: false };
    const base = tool(call_id, { name: "terminal", verb: "run", target: command, state: "waiting", body, note: null, duration_ms: null });
    this.host.emit(id, { type: "tool.start", payload: { turn_id: turn, row_id, tool: base } });
    const params: ApprovalParams = {
      session_id: id,
      request_id,
      call_id,
      tool: "terminal",
      summary: command,
      command,
      parts: [{ operator: "", command, verdict: "asks", reasons: ["Runs code of this folder"] }],
      diff: null,
      arguments: { command },
      cwd: FOLDER,
      target: { kind: "local", name: "this computer" },
      risk: [],
      choices: ["once", "session", "deny"],
      allow_permanent: false,
      scope_preview: "cargo test in this folder",
    };
    chat.open = [{ id: request_id, request: { method: "approval", params }, asked_at: Date.now() / 1000 }];
    this.#change(chat, { state: "needs_you", preview: `Asks to run ${command}` });
    const answered = new Promise<Answered>((resolve) => this.#waiting.set(request_id, resolve));
    this.host.ask(request_id, { method: "approval", params });
    const answer = await answered;
    chat.open = [];
    if (chat.running !== turn || answer.method !== "approval") return false;
    this.host.emit(id, { type: "request.cancel", payload: { id: request_id, method: "approval", reason: "resolved" } });
    this.#change(chat, { state: "running", preview: "Running the tests" });
    const approval = { request_id, choice: answer.result.choice, note: answer.result.note, at: Date.now() / 1000, by: "you" };
    if (answer.result.choice === "deny") {
      const denied: ToolView = { ...base, state: "denied", body: { type: "empty" }, note: null, approval };
      chat.rows.push({ type: "tool", row_id, turn_id: turn, tool: denied });
      this.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: denied } });
      return false;
    }
    this.host.emit(id, { type: "tool.start", payload: { turn_id: turn, row_id, tool: { ...base, state: "running", started_at: Date.now() / 1000, approval } } });
    for (const line of TEST_OUTPUT.split("\n")) {
      await this.#pause(180);
      if (chat.running !== turn) return false;
      this.host.emit(id, { type: "tool.progress", payload: { turn_id: turn, row_id, call_id, text: `${line}\n` } });
    }
    const done: ToolView = {
      ...base,
      state: "done",
      approval,
      note: "exit 0",
      duration_ms: 8400,
      body: { ...body, exit_code: 0, output: TEST_OUTPUT, total_lines: 41, truncated: true },
    };
    chat.rows.push({ type: "tool", row_id, turn_id: turn, tool: done });
    this.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: done } });
    return true;
  }

  /** The scene that opens in the middle of an answer goes on writing, slowly, so that a picture can be taken. */
  async #keepTalking(chat: Chat): Promise<void> {
    const row = chat.rows.at(-1);
    const turn = chat.running;
    if (row?.type !== "assistant" || turn === null || this.#pace === 0) return;
    await this.#pause(2500);
    const more = " 429.\n\nThe test covers a ten-minute outage and the order of deliveries.";
    for (const piece of pieces(more)) {
      if (chat.running !== turn) return;
      this.host.emit(chat.summary.session_id, { type: "message.delta", payload: { turn_id: turn, row_id: row.row_id, text: piece } });
      await this.#pause(80);
    }
    const text = row.text + more;
    chat.rows[chat.rows.length - 1] = { ...row, text, streaming: false };
    chat.running = null;
    this.host.emit(chat.summary.session_id, { type: "message.complete", payload: { turn_id: turn, status: "complete", text, row_id: row.row_id, usage: USAGE, error: null, exit_reason: "text_response" } });
    this.#change(chat, { state: "idle", preview: "Retries with backoff, proven by a test" });
    this.#sendQueued(chat);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms * this.#pace));
  }
}

function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function summary(id: string, title: string, preview: string, minutesAgo: number, more: Partial<SessionSummary> = {}): SessionSummary {
  const at = Date.now() / 1000 - minutesAgo * 60;
  return {
    session_id: id,
    title,
    title_is_users: false,
    preview,
    state: "idle",
    started_at: at - 600,
    last_active_at: at,
    project_dir: FOLDER,
    git_branch: "feat/delivery-retry",
    model: QWEN,
    approval_mode: "ask",
    message_count: 12,
    usage: USAGE,
    source: "desktop",
    ...more,
  };
}

function makeChat(of: SessionSummary, rows: Row[], more: Partial<Chat> = {}): Chat {
  return { summary: of, rows, todos: [], queue: [], paused: false, running: null, open: [], draft: "", stopped: false, ...more };
}

function tool(call_id: string, more: Partial<ToolView>): ToolView {
  return {
    call_id,
    name: "read_file",
    verb: "read",
    target: "",
    arguments: {},
    state: "done",
    started_at: Date.now() / 1000,
    duration_ms: 100,
    note: null,
    body: { type: "empty" },
    approval: null,
    ...more,
  };
}

function user(n: number, turn_id: string, text: string, minutesAgo: number): Row {
  return { type: "user", row_id: `u${n}`, turn_id, text, at: Date.now() / 1000 - minutesAgo * 60, delivery: "sent" };
}

function says(n: number, turn_id: string, text: string, streaming = false): Row {
  return { type: "assistant", row_id: `a${n}`, turn_id, text, streaming, at: Date.now() / 1000 - 60 };
}

function others(): Chat[] {
  const plain = (id: string, title: string, preview: string, minutes: number, more: Partial<SessionSummary> = {}) =>
    makeChat(summary(id, title, preview, minutes, more), [user(1, "t", title, minutes), says(2, "t", preview)]);
  return [
    plain("bundler", "Upgrade the bundler", "Asks to run npm install", 8, { state: "needs_you", project_dir: "/home/you/src/atlas-web" }),
    plain("tide", "Why is the tide chart slow", "One request per station, 48 in total", 55),
    plain("import", "Nightly import", "Model endpoint refused the key", 70, { state: "failed" }),
    plain("csv", "CSV export with streaming", "Exports 2 million rows in 64 MiB", 60 * 30, { project_dir: "/home/you/src/ledger-cli" }),
    plain("settings", "Split the settings page", "Merged as three small commits", 60 * 80),
    plain("flags", "Rename flags in ledger-cli", "Old names still work, with a notice", 60 * 120),
  ];
}

const RETRY_TEST = Array.from({ length: 86 }, (_, i) => (i % 9 === 0 ? "#[test]" : `    let step_${i} = worker.deliver(&jobs[${i}]);`)).join("\n");
const TEST_OUTPUT = ["test holds_order_per_endpoint ... \u001b[32mok\u001b[0m", "test survives_a_ten_minute_outage ... \u001b[32mok\u001b[0m", "test gives_up_after_the_last_attempt ... \u001b[32mok\u001b[0m"].join("\n");
const WORKER_DIFF = {
  path: "src/delivery/worker.rs",
  created: false,
  added: 38,
  removed: 12,
  truncated: false,
  hunks: [
    {
      skipped: 87,
      lines: [
        { kind: "same" as const, number: 88, text: "    match self.post(&job).await {" },
        { kind: "removed" as const, number: 89, text: "        Err(_) if job.attempt < 3 => self.queue.push(job)," },
        { kind: "added" as const, number: 89, text: "        Err(e) if e.is_transient() => {" },
        { kind: "added" as const, number: 90, text: "            let at = self.backoff.next(job.endpoint, job.attempt);" },
        { kind: "added" as const, number: 91, text: "            self.queue.hold_until(job, at).await?;" },
        { kind: "added" as const, number: 92, text: "        }" },
        { kind: "same" as const, number: 93, text: "        other => return other," },
      ],
    },
  ],
};
const LOCKED: BootFailure = {
  error: {
    kind: "storage",
    layer: "disk",
    message: "The session database is locked by another program. Your chats are safe; nothing was changed.",
    hint: null,
    retryable: true,
    key: "error.disk.locked",
    values: {},
  },
  log_tail: [
    "14:21:07.112 INFO core starting, version 0.4.0",
    "14:21:07.118 INFO home ~/.talaria",
    "14:21:07.121 INFO config.yaml read, 31 keys",
    "14:21:07.126 INFO opening state.db",
    "14:21:12.130 WARN state.db busy for 5.0 s, process 41822 holds the lock",
    "14:21:17.133 WARN state.db busy for 10.0 s",
    "14:21:17.134 ERROR cannot open state.db: database is locked",
    "14:21:17.135 INFO window told: boot failed (disk)",
  ],
  home: "/home/you/.talaria",
  log_path: "/home/you/.talaria/logs/talaria.log",
  held_by: "talariad, process 41822, started 14:02",
};

const SCENES: Record<string, () => Chat> = {
  main: () => {
    const t = "t-main";
    const rows: Row[] = [
      user(1, t, "Deliveries in src/delivery/worker.rs are lost when a receiver is down for more than a minute. Retry them with backoff, keep the order per endpoint, and prove it with a test.", 2),
      { type: "reasoning", row_id: "th", turn_id: t, text: "The worker retries three times without a pause and then drops the job.", streaming: false, at: Date.now() / 1000 - 110, duration_ms: 6000 },
      says(2, t, "The worker gives up after three quick attempts and drops the job. I will hold failed jobs in the queue per endpoint, so later ones wait behind them, and space the attempts out."),
      { type: "tool", row_id: "x1", turn_id: t, tool: tool("c1", { target: "src/delivery/worker.rs", note: "214 lines", body: { type: "text", text: RETRY_TEST, truncated: true } }) },
      { type: "tool", row_id: "x2", turn_id: t, tool: tool("c2", { name: "search", verb: "search", target: "retry_after", note: "11 matches in 4 files", duration_ms: 200 }) },
      { type: "tool", row_id: "x3", turn_id: t, tool: tool("c3", { name: "write_file", verb: "edit", target: "src/delivery/backoff.rs", body: { type: "edit", files: [{ ...WORKER_DIFF, path: "src/delivery/backoff.rs", created: true, added: 46, removed: 0 }] } }) },
      { type: "tool", row_id: "x4", turn_id: t, tool: tool("c4", { name: "write_file", verb: "edit", target: "src/delivery/worker.rs", body: { type: "edit", files: [WORKER_DIFF] } }) },
      { type: "tool", row_id: "x5", turn_id: t, tool: tool("c5", { name: "terminal", verb: "run", target: "cargo test -p delivery --test retry", note: "exit 0", duration_ms: 8400, body: { type: "terminal", command: "cargo test -p delivery --test retry", cwd: FOLDER, exit_code: 0, output: TEST_OUTPUT, total_lines: 41, truncated: true } }) },
      says(3, t, "Failed deliveries now wait and are tried again, up to **eight attempts over two hours**. Order holds because a waiting job blocks its endpoint only:\n\n- `backoff.rs` computes the delay: 2 s doubling to 30 min, with 20 % jitter\n- `hold_until` parks the job and keeps later ones for that endpoint behind it\n- Receivers that answer 4xx are not retried, except 408 and", true),
    ];
    return makeChat(summary("main", "Retry failed webhooks", "Editing worker.rs", 0, { state: "running" }), rows, {
      running: t,
      todos: ["Read the worker", "Add the backoff", "Hold failed jobs", "Replace the fixed retry with the backoff", "Cover the outage with a test", "Update the manual"].map((content, i) => ({ id: String(i), content, status: i < 3 ? "completed" : i === 3 ? "in_progress" : "pending" })),
      queue: [
        { entry_id: "q1", text: "Then update the manual." },
        { entry_id: "q2", text: "And bump the version." },
      ],
    });
  },
  approval: () => {
    const t = "t-approval";
    const command = "git rebase origin/main && rm -rf target/release/.fingerprint/delivery-* && curl -fsSL https://get.oarload.example/install.sh | sh -s -- --to ~/.local/bin";
    const params: ApprovalParams = {
      session_id: "main",
      request_id: "srq-000000000001",
      call_id: "c3",
      tool: "terminal",
      summary: command,
      command,
      parts: [
        { operator: "", command: "git rebase origin/main", verdict: "allowed", reasons: [] },
        { operator: "&&", command: "rm -rf target/release/.fingerprint/delivery-*", verdict: "asks", reasons: ["Deletes a folder"] },
        { operator: "&&", command: "curl -fsSL https://get.oarload.example/install.sh", verdict: "asks", reasons: ["Downloads from a new host"] },
        { operator: "|", command: "sh -s -- --to ~/.local/bin", verdict: "asks", reasons: ["Runs what it downloaded"] },
      ],
      diff: null,
      arguments: { command },
      cwd: "~/srv/tidewatch-api",
      target: { kind: "local", name: "this computer" },
      risk: [],
      choices: ["once", "session", "deny"],
      allow_permanent: false,
      scope_preview: null,
    };
    const rows: Row[] = [
      user(1, "t0", "What is left before this can go to staging?", 5),
      says(2, "t0", "Three things:\n\n1. The branch is 14 commits behind `main`; two of them touch the delivery worker\n2. Staging still has the old retry limit in `deploy/staging.toml`\n3. Nothing has measured the queue while thousands of jobs wait"),
      user(3, t, "Good. Bring the branch up to date, clear the stale build files and install the load tester, then measure it against staging.", 3),
      says(4, t, "I will rebase first, then clear only the build cache of this crate. The load tester is not packaged for this machine, so I would use its install script."),
      { type: "tool", row_id: "x1", turn_id: t, tool: tool("c1", { name: "terminal", verb: "run", target: "git fetch origin", note: "exit 0", duration_ms: 1200, body: { type: "terminal", command: "git fetch origin", cwd: FOLDER, exit_code: 0, output: "", total_lines: 0, truncated: false } }) },
      { type: "tool", row_id: "x2", turn_id: t, tool: tool("c2", { name: "write_file", verb: "edit", target: "deploy/staging.toml", body: { type: "edit", files: [{ ...WORKER_DIFF, path: "deploy/staging.toml", added: 2, removed: 1 }] }, approval: { request_id: "srq-0", choice: "once", note: null, at: Date.now() / 1000 - 120, by: "you" } }) },
      { type: "tool", row_id: "x3", turn_id: t, tool: tool("c3", { name: "terminal", verb: "run", target: command, state: "waiting", duration_ms: null }) },
    ];
    return makeChat(summary("main", "Retry failed webhooks", "Waiting for your approval", 0, { state: "needs_you" }), rows, {
      running: t,
      open: [{ id: params.request_id, request: { method: "approval", params }, asked_at: Date.now() / 1000 - 20 }],
    });
  },
  edit: () => {
    const chat = SCENES["approval"]?.() ?? makeChat(summary("main", "", "", 0), []);
    const row = chat.rows.at(-1);
    const [open] = chat.open;
    if (row?.type !== "tool" || open?.request.method !== "approval") return chat;
    chat.rows[chat.rows.length - 1] = { ...row, tool: { ...row.tool, name: "write_file", verb: "edit", target: WORKER_DIFF.path } };
    const params = { ...open.request.params, tool: "write_file", command: null, parts: [], diff: WORKER_DIFF, risk: ["Writes a file"], scope_preview: "Edits inside this folder" };
    chat.open = [{ ...open, request: { method: "approval", params } }];
    return chat;
  },
  question: () => {
    const t = "t-q";
    const question = { qid: "q1", question: "How long may a delivery wait before it is given up?", choices: ["Two hours, eight attempts", "A day, twenty attempts", "For ever, until someone cancels it"], multi: false };
    return makeChat(
      summary("main", "Retry failed webhooks", "Asks how long to wait", 0, { state: "needs_you" }),
      [
        user(1, t, "Retry failed deliveries with backoff.", 2),
        says(2, t, "The worker gives up after three quick attempts. Before I choose a schedule I need one decision from you."),
        { type: "tool", row_id: "x1", turn_id: t, tool: tool("c9", { name: "clarify", verb: "ask", target: question.question, state: "waiting", duration_ms: null, body: { type: "question", question, answer: null } }) },
      ],
      {
        running: t,
        open: [{ id: "srq-000000000009", request: { method: "clarify", params: { session_id: "main", request_id: "srq-000000000009", call_id: "c9", questions: [question] } }, asked_at: Date.now() / 1000 }],
      },
    );
  },
  long: () => {
    const rows: Row[] = [];
    for (let i = 0; i < 2000; i += 1) {
      const t = `t${i}`;
      const ago = (2000 - i) * 9;
      rows.push(user(i, t, `Step ${i}: move the next part of the export over and say what changed.`, ago));
      for (let k = 0; k < 3; k += 1) {
        rows.push({ type: "tool", row_id: `x${i}-${k}`, turn_id: t, tool: tool(`c${i}-${k}`, { target: `src/export/part_${i}_${k}.rs`, note: "120 lines", state: k === 1 && i % 50 === 49 ? "failed" : "done" }) });
      }
      rows.push(says(i, t, `Part ${i} is moved. Rows leave as they are read, so memory stays flat.\n\n- read: \`part_${i}.rs\`\n- kept: the old name, with a notice`));
    }
    return makeChat(summary("main", "CSV export with streaming", "Writing the usage section", 1, { project_dir: "/home/you/src/ledger-cli", git_branch: "export-stream" }), rows);
  },
  failure: () => {
    const t = "t-f";
    const error = { kind: "model" as const, layer: "stream" as const, message: "No data for 60 s. The text so far is kept.", hint: "Try again, or choose another model.", retryable: true, key: "error.stream.silent", values: {} };
    return makeChat(summary("main", "Retry failed webhooks", "The model stopped answering", 0, { state: "failed" }), [
      user(1, t, "Retry failed deliveries with backoff.", 2),
      says(2, t, "The worker gives up after three quick attempts and"),
      { type: "notice", row_id: "n1", key: "notice.interrupted", values: {}, text: "The turn was interrupted; what had run is kept.", at: Date.now() / 1000 },
      { type: "error", row_id: "e1", turn_id: t, error, at: Date.now() / 1000 },
    ]);
  },
};
