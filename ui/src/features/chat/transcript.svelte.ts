import type {
  AppError,
  EventFrame,
  OpenRequest,
  QueueEntry,
  Row,
  SessionId,
  SessionSnapshot,
  SessionSummary,
  StatusKind,
  Todo,
  TurnId,
  Usage,
} from "../../bindings/protocol";
import { asAppError, runtimeError, type Host } from "../../host/host";
import { Folder, type Item } from "./fold";
import { grow, type Pending } from "./grow";
import { frameScheduler, type Scheduler } from "./frames";

/** Reloads in a row that may fail to close a gap before the chat says so. */
export const RELOADS = 3;

export interface TranscriptOptions {
  /** The running start of the core, for `events.since`. */
  epoch: () => string;
  /** The session was loaded anew: its draft and open questions are the core's. */
  onSnapshot?: (snapshot: SessionSnapshot) => void;
  /** Questions that are open after missed events were fetched. */
  onOpenRequests?: (requests: OpenRequest[]) => void;
  schedule?: Scheduler;
  now?: () => number;
}

export interface Activity {
  kind: StatusKind;
  text: string;
  attempt: number | null;
}

/** One session as it is painted: a snapshot, then every event after it exactly once and in order. */
export class Transcript {
  readonly sessionId: SessionId;
  session = $state.raw<SessionSummary | null>(null);
  rows = $state.raw<Row[]>([]);
  state = $state<"loading" | "ready" | "failed">("loading");
  failure = $state.raw<AppError | null>(null);
  runningTurn = $state<TurnId | null>(null);
  /** The turn that the person stopped; it counts as ended at once. */
  stoppedTurn = $state<TurnId | null>(null);
  todos = $state.raw<Todo[]>([]);
  queue = $state.raw<QueueEntry[]>([]);
  queuePaused = $state(false);
  usage = $state.raw<Usage | null>(null);
  activity = $state.raw<Activity | null>(null);
  /** Tool whose arguments the model writes just now. */
  generating = $state<string | null>(null);
  olderCursor = $state<string | null>(null);
  olderRows = $state(0);
  loadingOlder = $state(false);
  olderFailure = $state.raw<AppError | null>(null);
  /** What the screen reader is told: a reply began or ended. */
  spoken = $state<"started" | "finished" | "failed" | "stopped" | null>(null);
  /** Groups and steps that the person opened or closed. */
  folds = $state<Record<string, boolean>>({});
  /** Events of a type this version does not know. */
  ignored = 0;

  readonly running = $derived(this.runningTurn !== null && this.runningTurn !== this.stoppedTurn);
  readonly items: Item[] = $derived.by(() => this.#folder.fold(this.rows));

  #host: Host;
  #options: TranscriptOptions;
  #folder = new Folder();
  #index = new Map<string, number>();
  #seq = 0;
  #held: EventFrame[] = [];
  #generation = 0;
  #busy = false;
  #reloads = 0;
  #pendingText = new Map<string, Pending>();
  #flushing = false;
  #schedule: Scheduler;
  #now: () => number;

  constructor(host: Host, sessionId: SessionId, options: TranscriptOptions) {
    this.sessionId = sessionId;
    this.#host = host;
    this.#options = options;
    this.#schedule = options.schedule ?? frameScheduler();
    this.#now = options.now ?? (() => Date.now() / 1000);
  }

  /** Loads the session. A second call while the first is open makes the first one's answer void. */
  async load(): Promise<void> {
    const generation = ++this.#generation;
    this.#busy = true;
    if (this.rows.length === 0) this.state = "loading";
    try {
      const snapshot = await this.#host.call("session.resume", { session_id: this.sessionId, limit: null });
      if (generation !== this.#generation) return;
      this.adopt(snapshot);
    } catch (thrown) {
      if (generation !== this.#generation) return;
      this.#busy = false;
      this.failure = asAppError(thrown);
      this.state = "failed";
    }
  }

  /** Paints a snapshot, then what came after it. */
  adopt(snapshot: SessionSnapshot): void {
    this.#generation += 1;
    this.#pendingText.clear();
    this.#setRows(this.#mergeOlder(snapshot));
    this.session = snapshot.session;
    this.usage = snapshot.session.usage;
    this.runningTurn = snapshot.running_turn;
    if (snapshot.running_turn !== this.stoppedTurn) this.stoppedTurn = null;
    this.todos = snapshot.todos;
    this.queue = snapshot.queue;
    this.queuePaused = snapshot.queue_paused;
    this.activity = null;
    this.generating = null;
    this.failure = null;
    this.#seq = snapshot.seq;
    this.state = "ready";
    this.#options.onSnapshot?.(snapshot);
    this.#busy = false;
    this.#drain();
  }

  /** Takes an event of any session and paints it if it belongs here and is next. */
  receive(frame: EventFrame): void {
    if (frame.session_id !== this.sessionId) return;
    if (this.#busy || this.state !== "ready") {
      this.#held.push(frame);
      return;
    }
    if (frame.seq <= this.#seq) return;
    if (frame.seq > this.#seq + 1) {
      this.#held.push(frame);
      void this.#closeGap();
      return;
    }
    this.#seq = frame.seq;
    this.#reloads = 0;
    this.#apply(frame);
  }

  async loadOlder(): Promise<void> {
    const cursor = this.olderCursor;
    if (cursor === null || this.loadingOlder) return;
    const generation = this.#generation;
    this.loadingOlder = true;
    this.olderFailure = null;
    try {
      const page = await this.#host.call("session.history", { session_id: this.sessionId, cursor, limit: null });
      if (generation !== this.#generation) return;
      const fresh = page.rows.filter((row) => !this.#index.has(row.row_id));
      this.#flush();
      this.#setRows([...fresh, ...this.rows]);
      this.olderCursor = page.older_cursor;
      this.olderRows = page.older_rows;
    } catch (thrown) {
      if (generation === this.#generation) this.olderFailure = asAppError(thrown);
    } finally {
      this.loadingOlder = false;
    }
  }

  /** Stops the running turn. The window is idle at once; the core follows. */
  async interrupt(): Promise<AppError | null> {
    const turn = this.runningTurn;
    if (turn === null || this.stoppedTurn === turn) return null;
    this.stoppedTurn = turn;
    this.activity = null;
    this.generating = null;
    try {
      await this.#host.call("session.interrupt", { session_id: this.sessionId });
      return null;
    } catch (thrown) {
      if (this.stoppedTurn === turn) this.stoppedTurn = null;
      return asAppError(thrown);
    }
  }

  toggle(key: string, open: boolean): void {
    this.folds[key] = open;
  }

  /** Whether work of this turn may still change. */
  isLive(turnId: TurnId): boolean {
    return this.running && this.runningTurn === turnId;
  }

  #apply(event: EventFrame): void {
    if (event.type !== "message.delta" && event.type !== "reasoning.delta" && event.type !== "tool.progress")
      this.#flush();
    switch (event.type) {
      case "message.start":
        this.#upsert(event.payload.row);
        this.runningTurn = event.payload.turn_id;
        this.stoppedTurn = null;
        this.activity = null;
        this.spoken = "started";
        break;
      case "message.delta":
        this.activity = null;
        this.#append(event.payload.row_id, {
          kind: "assistant",
          turnId: event.payload.turn_id,
          text: event.payload.text,
        });
        break;
      case "message.interim":
        this.#upsert(event.payload.row);
        this.#settle(event.payload.turn_id);
        break;
      case "message.complete":
        this.#complete(event.payload);
        break;
      case "reasoning.delta":
        this.activity = null;
        this.#append(event.payload.row_id, {
          kind: "reasoning",
          turnId: event.payload.turn_id,
          text: event.payload.text,
        });
        break;
      case "tool.generating":
        this.generating = event.payload.name;
        this.#settle(event.payload.turn_id);
        break;
      case "tool.start":
      case "tool.complete":
        this.generating = null;
        this.activity = null;
        this.#settle(event.payload.turn_id);
        this.#upsert({ type: "tool", ...event.payload });
        break;
      case "tool.progress":
        this.#append(event.payload.row_id, { kind: "output", turnId: event.payload.turn_id, text: event.payload.text });
        break;
      case "todo.updated":
        this.todos = event.payload.todos;
        break;
      case "row.added":
        this.#upsert(event.payload.row);
        break;
      case "queue.updated":
        this.queue = event.payload.entries;
        this.queuePaused = event.payload.paused;
        break;
      case "session.info":
        this.session = event.payload.session;
        break;
      case "session.usage":
        this.usage = event.payload.usage;
        break;
      case "status":
        this.activity = event.payload;
        break;
      case "request.cancel":
      case "sessions.changed":
      case "notice.show":
      case "notice.clear":
        break;
      default:
        this.ignored += 1;
    }
  }

  #complete(done: Extract<EventFrame, { type: "message.complete" }>["payload"]): void {
    this.#settle(done.turn_id);
    if (done.row_id !== null && done.text !== "") {
      const old = this.#row(done.row_id);
      const at = old?.type === "assistant" ? old.at : this.#now();
      this.#upsert({
        type: "assistant",
        row_id: done.row_id,
        turn_id: done.turn_id,
        text: done.text,
        streaming: false,
        at,
      });
    }
    if (done.error !== null && !this.rows.some((row) => row.type === "error" && row.turn_id === done.turn_id)) {
      this.#upsert({
        type: "error",
        row_id: failureRow(done.turn_id),
        turn_id: done.turn_id,
        error: done.error,
        at: this.#now(),
      });
    }
    if (this.runningTurn === done.turn_id) {
      this.runningTurn = null;
      this.activity = null;
      this.generating = null;
    }
    this.spoken = done.status === "complete" ? "finished" : done.status === "error" ? "failed" : "stopped";
  }

  /** Nothing more streams into the turn's text rows; a thought ends when something else begins. */
  #settle(turnId: TurnId): void {
    let rows: Row[] | null = null;
    for (let i = this.rows.length - 1; i >= 0; i -= 1) {
      const row = this.rows[i];
      if (row === undefined || (row.type === "user" && row.turn_id === turnId && row.delivery === "sent")) break;
      if ((row.type === "assistant" || row.type === "reasoning") && row.streaming && row.turn_id === turnId) {
        rows ??= [...this.rows];
        rows[i] =
          row.type === "assistant"
            ? { ...row, streaming: false }
            : { ...row, streaming: false, duration_ms: row.duration_ms ?? Math.round((this.#now() - row.at) * 1000) };
      }
    }
    if (rows !== null) this.rows = rows;
  }

  #append(rowId: string, add: Pending): void {
    const pending = this.#pendingText.get(rowId);
    if (pending) pending.text += add.text;
    else this.#pendingText.set(rowId, add);
    if (this.#flushing) return;
    this.#flushing = true;
    this.#schedule(() => {
      this.#flushing = false;
      this.#flush();
    });
  }

  /** Paints the text that came since the last frame. */
  #flush(): void {
    if (this.#pendingText.size === 0) return;
    const pending = [...this.#pendingText];
    this.#pendingText.clear();
    for (const [rowId, { kind, turnId }] of pending) {
      if (kind === "assistant" && this.#row(rowId) === undefined) this.#settle(turnId);
    }
    const rows = [...this.rows];
    for (const [rowId, add] of pending) {
      const at = this.#index.get(rowId);
      const old = at === undefined ? undefined : rows[at];
      const grown = grow(old, rowId, add, this.#now());
      if (grown === null) continue;
      if (at === undefined) {
        this.#index.set(rowId, rows.length);
        rows.push(grown);
      } else {
        rows[at] = grown;
      }
    }
    this.rows = rows;
  }

  #upsert(row: Row): void {
    const rows = [...this.rows];
    const place =
      row.type === "error"
        ? (this.#index.get(row.row_id) ?? this.#index.get(failureRow(row.turn_id)))
        : this.#index.get(row.row_id);
    if (place === undefined) {
      this.#index.set(row.row_id, rows.length);
      rows.push(row);
    } else {
      this.#index.set(row.row_id, place);
      rows[place] = row;
    }
    this.rows = rows;
  }

  #row(rowId: string): Row | undefined {
    const at = this.#index.get(rowId);
    return at === undefined ? undefined : this.rows[at];
  }

  #setRows(rows: Row[]): void {
    this.#index = new Map(rows.map((row, i) => [row.row_id, i]));
    this.rows = rows;
  }

  /** Pages that were fetched before stay, if the new snapshot continues them. */
  #mergeOlder(snapshot: SessionSnapshot): Row[] {
    const first = snapshot.rows[0];
    const at = first === undefined ? undefined : this.#index.get(first.row_id);
    if (at === undefined || at === 0) {
      this.olderCursor = snapshot.older_cursor;
      this.olderRows = snapshot.older_rows;
      return snapshot.rows;
    }
    return [...this.rows.slice(0, at), ...snapshot.rows];
  }

  /** Asks for what was missed; loads the session anew when the core no longer has it. */
  async #closeGap(): Promise<void> {
    if (this.#busy) return;
    const generation = ++this.#generation;
    this.#busy = true;
    try {
      const reply = await this.#host.call("events.since", {
        epoch: this.#options.epoch(),
        session_id: this.sessionId,
        seq: this.#seq,
      });
      if (generation !== this.#generation) return;
      // An answer that does not continue where this stopped closes nothing.
      if (!reply.complete || !reply.events.some((frame) => frame.seq === this.#seq + 1)) {
        await this.#reload();
        return;
      }
      this.#held.push(...reply.events);
      this.#options.onOpenRequests?.(reply.open_requests);
      this.#busy = false;
      this.#drain();
    } catch {
      if (generation === this.#generation) await this.#reload();
    }
  }

  async #reload(): Promise<void> {
    this.#reloads += 1;
    if (this.#reloads <= RELOADS) return this.load();
    this.#busy = false;
    this.#held = [];
    this.failure = runtimeError("error.gap", "the core left out events of this chat");
    this.state = "failed";
  }

  /** Applies held events in order. A hole that remains starts the next round. */
  #drain(): void {
    const held = this.#held.sort((a, b) => a.seq - b.seq);
    this.#held = [];
    for (const frame of held) this.receive(frame);
  }
}

function failureRow(turnId: TurnId): string {
  return `failure-${turnId}`;
}
