import type { ApprovalParams, Row, Todo, ToolBody, ToolView, TurnId } from "../../bindings/protocol";
import type { Answered } from "../scripted";
import { FOLDER, TEST_OUTPUT, RETRY_TEST, WORKER_DIFF, USAGE, pieces, tool, type Chat } from "./parts";
import type { World } from "./world";

/** What the model of the day says and does, whatever it is asked. */
export class Script {
  constructor(readonly world: World) {}

  /** A whole turn: thought, words, two reads, a command that asks, an edit, a test run, an answer. */
  async turn(chat: Chat, turn: TurnId, text: string): Promise<void> {
    const id = chat.summary.session_id;
    const { host } = this.world;
    chat.running = turn;
    chat.stopped = false;
    const over = () => chat.running !== turn;
    const user: Row = {
      type: "user",
      row_id: `r-${this.world.next++}`,
      turn_id: turn,
      text,
      at: Date.now() / 1000,
      delivery: "sent",
    };
    chat.rows.push(user);
    host.emit(id, { type: "message.start", payload: { turn_id: turn, row: user } });
    this.world.change(chat, {
      title: chat.summary.title || text.slice(0, 48),
      state: "running",
      preview: "Thinking",
      last_active_at: Date.now() / 1000,
      message_count: chat.rows.length,
    });
    await this.world.pause(500);
    if (/fail/i.test(text) && /model|network/i.test(text)) return this.#fail(chat, turn);
    await this.#reason(
      chat,
      turn,
      "The person wants the failing test fixed. First look at the test, then at the code it covers.",
    );
    if (over()) return;
    await this.#say(
      chat,
      turn,
      "I will read the test and the code it covers, then run it once to see the failure.",
      false,
    );
    if (over()) return;
    const todos: Todo[] = [
      { id: "1", content: "Read the failing test", status: "in_progress" },
      { id: "2", content: "Find the cause", status: "pending" },
      { id: "3", content: "Fix it and run the tests", status: "pending" },
    ];
    const plan = (done: number) => {
      chat.todos = todos.map((todo, i) => ({
        ...todo,
        status: i < done ? "completed" : i === done ? "in_progress" : "pending",
      }));
      host.emit(id, { type: "todo.updated", payload: { todos: chat.todos } });
    };
    plan(0);
    await this.#tool(
      chat,
      turn,
      {
        name: "read_file",
        verb: "read",
        target: "tests/retry.rs",
        note: "86 lines",
        body: { type: "text", text: RETRY_TEST, truncated: false },
      },
      120,
    );
    await this.#tool(
      chat,
      turn,
      {
        name: "read_file",
        verb: "read",
        target: "src/delivery/worker.rs",
        note: "214 lines",
        body: { type: "text", text: RETRY_TEST, truncated: false },
      },
      90,
    );
    if (over()) return;
    plan(1);
    const allowed = await this.#ask(chat, turn, "cargo test -p delivery --test retry");
    if (over()) return;
    if (allowed) {
      plan(2);
      await this.#tool(
        chat,
        turn,
        {
          name: "write_file",
          verb: "edit",
          target: "src/delivery/worker.rs",
          note: null,
          body: { type: "edit", files: [WORKER_DIFF] },
        },
        110,
      );
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
    this.world.change(chat, {
      state: "idle",
      preview: allowed ? "The test passes now" : "The command was not allowed",
      usage: USAGE,
      last_active_at: Date.now() / 1000,
    });
    this.world.sendQueued(chat);
  }

  #fail(chat: Chat, turn: TurnId): void {
    chat.running = null;
    const error = {
      kind: "model" as const,
      layer: "stream" as const,
      message: "No data for 60 s. The text so far is kept.",
      hint: "Try again, or choose another model.",
      retryable: true,
      key: "error.stream.silent",
      values: {},
    };
    const row: Row = { type: "error", row_id: `r-${this.world.next++}`, turn_id: turn, error, at: Date.now() / 1000 };
    chat.rows.push(row);
    this.world.host.emit(chat.summary.session_id, { type: "row.added", payload: { row } });
    this.world.host.emit(chat.summary.session_id, {
      type: "message.complete",
      payload: {
        turn_id: turn,
        status: "error",
        text: "",
        row_id: null,
        usage: USAGE,
        error,
        exit_reason: "model_error",
      },
    });
    this.world.change(chat, { state: "failed", preview: "The model stopped answering" });
  }

  async #reason(chat: Chat, turn: TurnId, text: string): Promise<void> {
    const row_id = `r-${this.world.next++}`;
    const at = Date.now() / 1000;
    for (const piece of pieces(text)) {
      if (chat.running !== turn) break;
      this.world.host.emit(chat.summary.session_id, {
        type: "reasoning.delta",
        payload: { turn_id: turn, row_id, text: piece },
      });
      await this.world.pause(45);
    }
    chat.rows.push({
      type: "reasoning",
      row_id,
      turn_id: turn,
      text,
      streaming: false,
      at,
      duration_ms: Math.round(Date.now() - at * 1000),
    });
  }

  async #say(chat: Chat, turn: TurnId, text: string, last: boolean): Promise<void> {
    const row_id = `r-${this.world.next++}`;
    const at = Date.now() / 1000;
    let said = "";
    for (const piece of pieces(text)) {
      if (chat.running !== turn) break;
      said += piece;
      this.world.host.emit(chat.summary.session_id, {
        type: "message.delta",
        payload: { turn_id: turn, row_id, text: piece },
      });
      await this.world.pause(24);
    }
    const row: Row = { type: "assistant", row_id, turn_id: turn, text: said, streaming: false, at };
    chat.rows.push(row);
    if (chat.running !== turn) return;
    if (last) {
      this.world.host.emit(chat.summary.session_id, {
        type: "message.complete",
        payload: {
          turn_id: turn,
          status: "complete",
          text,
          row_id,
          usage: USAGE,
          error: null,
          exit_reason: "text_response",
        },
      });
      this.world.host.emit(chat.summary.session_id, { type: "session.usage", payload: { usage: USAGE } });
    } else this.world.host.emit(chat.summary.session_id, { type: "message.interim", payload: { turn_id: turn, row } });
  }

  async #tool(
    chat: Chat,
    turn: TurnId,
    what: Pick<ToolView, "name" | "verb" | "target" | "note" | "body">,
    ms: number,
  ): Promise<void> {
    if (chat.running !== turn) return;
    const id = chat.summary.session_id;
    const row_id = `r-${this.world.next++}`;
    const base = tool(`c-${this.world.next++}`, {
      ...what,
      state: "running",
      body: { type: "empty" },
      note: null,
      duration_ms: null,
    });
    this.world.host.emit(id, { type: "tool.generating", payload: { turn_id: turn, name: what.name } });
    await this.world.pause(250);
    this.world.host.emit(id, { type: "tool.start", payload: { turn_id: turn, row_id, tool: base } });
    await this.world.pause(ms * 4);
    const done: ToolView = { ...base, ...what, state: "done", duration_ms: ms };
    chat.rows.push({ type: "tool", row_id, turn_id: turn, tool: done });
    if (chat.running === turn)
      this.world.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: done } });
  }

  async #ask(chat: Chat, turn: TurnId, command: string): Promise<boolean> {
    const id = chat.summary.session_id;
    const row_id = `r-${this.world.next++}`;
    const call_id = `c-${this.world.next++}`;
    const request_id = `srq-${String(this.world.next++).padStart(12, "0")}`;
    const body: ToolBody = {
      type: "terminal",
      command,
      cwd: FOLDER,
      exit_code: null,
      output: "",
      total_lines: 0,
      truncated: false,
    };
    const base = tool(call_id, {
      name: "terminal",
      verb: "run",
      target: command,
      state: "waiting",
      body,
      note: null,
      duration_ms: null,
    });
    this.world.host.emit(id, { type: "tool.start", payload: { turn_id: turn, row_id, tool: base } });
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
    this.world.change(chat, { state: "needs_you", preview: `Asks to run ${command}` });
    const answered = new Promise<Answered>((resolve) => this.world.waiting.set(request_id, resolve));
    this.world.host.ask(request_id, { method: "approval", params });
    const answer = await answered;
    chat.open = [];
    if (chat.running !== turn || answer.method !== "approval") return false;
    this.world.host.emit(id, {
      type: "request.cancel",
      payload: { id: request_id, method: "approval", reason: "resolved" },
    });
    this.world.change(chat, { state: "running", preview: "Running the tests" });
    const approval = {
      request_id,
      choice: answer.result.choice,
      note: answer.result.note,
      at: Date.now() / 1000,
      by: "you",
    };
    if (answer.result.choice === "deny") {
      const denied: ToolView = { ...base, state: "denied", body: { type: "empty" }, note: null, approval };
      chat.rows.push({ type: "tool", row_id, turn_id: turn, tool: denied });
      this.world.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: denied } });
      return false;
    }
    this.world.host.emit(id, {
      type: "tool.start",
      payload: { turn_id: turn, row_id, tool: { ...base, state: "running", started_at: Date.now() / 1000, approval } },
    });
    for (const line of TEST_OUTPUT.split("\n")) {
      await this.world.pause(180);
      if (chat.running !== turn) return false;
      this.world.host.emit(id, {
        type: "tool.progress",
        payload: { turn_id: turn, row_id, call_id, text: `${line}\n` },
      });
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
    this.world.host.emit(id, { type: "tool.complete", payload: { turn_id: turn, row_id, tool: done } });
    return true;
  }

  /** The scene that opens in the middle of an answer goes on writing, slowly, so that a picture can be taken. */
  async keepTalking(chat: Chat): Promise<void> {
    const row = chat.rows.at(-1);
    const turn = chat.running;
    if (row?.type !== "assistant" || turn === null || this.world.pace === 0) return;
    await this.world.pause(2500);
    const more = " 429.\n\nThe test covers a ten-minute outage and the order of deliveries.";
    for (const piece of pieces(more)) {
      if (chat.running !== turn) return;
      this.world.host.emit(chat.summary.session_id, {
        type: "message.delta",
        payload: { turn_id: turn, row_id: row.row_id, text: piece },
      });
      await this.world.pause(80);
    }
    const text = row.text + more;
    chat.rows[chat.rows.length - 1] = { ...row, text, streaming: false };
    chat.running = null;
    this.world.host.emit(chat.summary.session_id, {
      type: "message.complete",
      payload: {
        turn_id: turn,
        status: "complete",
        text,
        row_id: row.row_id,
        usage: USAGE,
        error: null,
        exit_reason: "text_response",
      },
    });
    this.world.change(chat, { state: "idle", preview: "Retries with backoff, proven by a test" });
    this.world.sendQueued(chat);
  }
}
