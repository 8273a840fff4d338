import type { QueueEntry, Row, SessionId, SessionSnapshot, SessionSummary } from "../../bindings/protocol";
import { CallError, runtimeError } from "../host";
import { ScriptedHost, type Answered } from "../scripted";
import { DEMO, FOLDER, LOCKED, MODELS, NO_USAGE, QWEN, USAGE, makeChat, others, summary, type Chat } from "./parts";
import { SCENES } from "./scenes";
import { Script } from "./script";

/** The core of the day: answers calls and tells what changes. */
export class World {
  readonly host = new ScriptedHost();
  readonly waiting = new Map<string, (answer: Answered) => void>();
  readonly pace: number;
  next = 1;
  chats = new Map<SessionId, Chat>();
  #fresh: boolean;
  #script = new Script(this);
  #deleted = new Map<SessionId, Chat>();

  constructor(scene: string, pace: number) {
    this.pace = pace;
    this.#fresh = scene === "fresh";
    if (scene === "boot") this.host.bootFailures = Array.from({ length: 99 }, () => LOCKED);
    if (!this.#fresh) for (const chat of others()) this.chats.set(chat.summary.session_id, chat);
    this.#answer(scene);
    const first = SCENES[scene]?.();
    if (first) {
      this.chats.set(first.summary.session_id, first);
      localStorage.setItem("talaria/window/session", first.summary.session_id);
    } else {
      localStorage.removeItem("talaria/window/session");
    }
    if (scene === "main" && first) setTimeout(() => void this.#script.keepTalking(first), 400);
  }

  #answer(scene: string): void {
    const { host } = this;
    host.onAnswer = (answer) => this.waiting.get(answer.id)?.(answer);
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
            ? [
                {
                  notice_id: "db",
                  level: "warning",
                  key: "notice.database_newer",
                  values: {},
                  text: "The database was written by a newer version and is open for reading only.",
                  hint: "Update Talaria to go on with these chats.",
                },
              ]
            : [],
        default_model: this.#fresh ? null : QWEN,
        default_mode: "ask",
        machine: "workbench",
        home: "/home/you/.talaria",
      }))
      .on("session.list", ({ query }) => {
        if (scene === "listfail")
          throw new CallError({
            ...runtimeError("error.disk", "the session list could not be read"),
            layer: "disk",
            kind: "storage",
          });
        const sessions = [...this.chats.values()]
          .map((chat) => chat.summary)
          .sort((a, b) => b.last_active_at - a.last_active_at);
        const wanted = query?.toLowerCase() ?? "";
        return {
          sessions: sessions.filter((s) => `${s.title} ${s.preview}`.toLowerCase().includes(wanted)),
          next_cursor: null,
        };
      })
      .on("session.create", ({ project_dir, model }) => {
        const id = `s-${this.next++}`;
        const chat = makeChat(
          summary(id, "", "", 0, {
            project_dir: project_dir ?? FOLDER,
            model: model ?? (this.#fresh ? DEMO : QWEN),
            message_count: 0,
            git_branch: "main",
            usage: NO_USAGE,
          }),
          [],
        );
        this.chats.set(id, chat);
        return this.#snapshot(chat);
      })
      .on("session.resume", ({ session_id }) => this.#snapshot(this.#chat(session_id)))
      .on("session.history", ({ session_id, cursor }) => {
        const upTo = Number(cursor);
        const from = Math.max(0, upTo - 80);
        return {
          rows: this.#chat(session_id).rows.slice(from, upTo),
          older_cursor: from > 0 ? String(from) : null,
          older_rows: from,
        };
      })
      .on("session.rename", ({ session_id, title }) => {
        const chat = this.#chat(session_id);
        this.change(chat, { title, title_is_users: true });
        return { session: chat.summary };
      })
      .on("session.delete", ({ session_id }) => {
        this.#deleted.set(session_id, this.#chat(session_id));
        this.chats.delete(session_id);
        host.emit(null, { type: "sessions.changed", payload: { session: null, removed: session_id } });
        return { undo_until: Date.now() / 1000 + 10 };
      })
      .on("session.restore", ({ session_id }) => {
        const chat = this.#deleted.get(session_id);
        if (!chat) throw new CallError({ ...runtimeError("error.not_found", "no such chat"), kind: "not_found" });
        this.chats.set(session_id, chat);
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
      .on("prompt.submit", ({ session_id, text, when_busy }) =>
        this.#submit(this.#chat(session_id), text, when_busy === "queue"),
      )
      .on("session.queue.edit", ({ session_id, entry_id, text }) =>
        this.#queue(session_id, (queue) =>
          queue.map((entry) => (entry.entry_id === entry_id ? { ...entry, text } : entry)),
        ),
      )
      .on("session.queue.remove", ({ session_id, entry_id }) =>
        this.#queue(session_id, (queue) => queue.filter((entry) => entry.entry_id !== entry_id)),
      )
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
        if (chat.running === null) this.sendQueued(chat);
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
        if (session_id !== null) this.change(this.#chat(session_id), { model: route });
        return { route, cache_lost: true };
      })
      .on("model.test", async () => {
        await this.pause(700);
        return {
          ok: true,
          legs: ["key", "reach", "protocol", "model", "answer"].map((name, i) => ({
            name,
            state: name === "key" ? ("skipped" as const) : ("done" as const),
            detail: name === "key" ? "not needed" : "",
            duration_ms: 3 + i * 41,
          })),
          error: null,
        };
      })
      .on("approvals.mode.set", ({ session_id, mode }) => {
        if (session_id !== null) this.change(this.#chat(session_id), { approval_mode: mode });
        return { mode };
      })
      .on("events.since", () => ({ complete: false, events: [], open_requests: [] }))
      .on("tool.result", () => {
        const text = Array.from({ length: 41 }, (_, i) => `test case_${i + 1} ... \u001b[32mok\u001b[0m`).join("\n");
        return { text, total: text.length };
      });
  }

  #chat(id: SessionId): Chat {
    const chat = this.chats.get(id);
    if (!chat)
      throw new CallError({ ...runtimeError("error.not_found", "this chat no longer exists"), kind: "not_found" });
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

  change(chat: Chat, change: Partial<SessionSummary>): void {
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
      this.#queue(id, (entries) => [...entries, { entry_id: `q-${this.next++}`, text }]);
      return { accepted: "queued" as const, turn_id: null };
    }
    if (chat.running !== null) {
      const row: Row = {
        type: "user",
        row_id: `r-${this.next++}`,
        turn_id: chat.running,
        text,
        at: Date.now() / 1000,
        delivery: "steered",
      };
      chat.rows.push(row);
      this.host.emit(id, { type: "row.added", payload: { row } });
      return { accepted: "steered" as const, turn_id: chat.running };
    }
    const turn = `t-${this.next++}`;
    void this.#script.turn(chat, turn, text);
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
      this.host.emit(id, {
        type: "request.cancel",
        payload: { id: request, method: asked.method, reason: "interrupted" },
      });
    }
    chat.open = [];
    this.host.emit(id, {
      type: "message.complete",
      payload: {
        turn_id: turn,
        status: "interrupted",
        text: "",
        row_id: null,
        usage: USAGE,
        error: null,
        exit_reason: "interrupted",
      },
    });
    this.host.emit(id, { type: "queue.updated", payload: { entries: chat.queue, paused: chat.paused } });
    this.change(chat, { state: "idle", preview: "Stopped" });
  }

  sendQueued(chat: Chat): void {
    const [entry] = chat.queue;
    if (!entry || chat.paused) return;
    this.#queue(chat.summary.session_id, (queue) => queue.slice(1));
    this.#submit(chat, entry.text, false);
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms * this.pace));
  }
}
