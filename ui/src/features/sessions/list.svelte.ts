import type { AppError, EventFrame, SessionId, SessionSummary } from "../../bindings/protocol";
import { asAppError, type Host } from "../../host/host";

export const PAGE = 100;

export interface SessionGroups {
  today: SessionSummary[];
  earlier: SessionSummary[];
}

/** The session list: what the store has, plus what is live and newer than its last answer. */
export class SessionList {
  sessions = $state.raw<SessionSummary[]>([]);
  state = $state<"idle" | "loading" | "ready" | "failed">("idle");
  failure = $state.raw<AppError | null>(null);
  selected = $state<SessionId | null>(null);
  query = $state("");
  nextCursor = $state<string | null>(null);
  renaming = $state<SessionId | null>(null);
  unread = $state.raw<ReadonlySet<SessionId>>(new Set());

  #host: Host;
  #generation = 0;
  /** When a live event last changed a row, counted in refreshes: an answer asked for before it must not undo it. */
  #touched = new Map<SessionId, number>();
  #removed = new Map<SessionId, number>();
  #clock = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  async refresh(): Promise<void> {
    const generation = ++this.#generation;
    const askedAt = ++this.#clock;
    const query = this.query.trim();
    this.state = this.sessions.length > 0 ? this.state : "loading";
    try {
      const reply = await this.#host.call("session.list", {
        limit: PAGE,
        cursor: null,
        query: query === "" ? null : query,
      });
      if (generation !== this.#generation) return;
      this.#merge(reply.sessions, askedAt, query !== "");
      this.nextCursor = reply.next_cursor;
      this.failure = null;
      this.state = "ready";
    } catch (thrown) {
      if (generation !== this.#generation) return;
      this.failure = asAppError(thrown);
      this.state = "failed";
    }
  }

  async loadMore(): Promise<void> {
    const cursor = this.nextCursor;
    if (cursor === null) return;
    const generation = this.#generation;
    const askedAt = ++this.#clock;
    this.nextCursor = null;
    const query = this.query.trim();
    try {
      const reply = await this.#host.call("session.list", { limit: PAGE, cursor, query: query === "" ? null : query });
      if (generation !== this.#generation) return;
      for (const session of reply.sessions) this.#take(session, askedAt);
      this.nextCursor = reply.next_cursor;
    } catch (thrown) {
      if (generation === this.#generation) this.nextCursor = cursor;
      this.failure = asAppError(thrown);
    }
  }

  /** Applies what the core tells without being asked. */
  receive(event: EventFrame): void {
    if (event.type === "sessions.changed") {
      if (event.payload.session) this.put(event.payload.session);
      if (event.payload.removed) this.#drop(event.payload.removed);
    } else if (event.type === "session.info") {
      const { session } = event.payload;
      // A session without a message is not in the store and not in the list.
      if (this.sessions.some((row) => row.session_id === session.session_id)) this.put(session);
    }
  }

  /** A row that is newer than any answer on its way. */
  put(session: SessionSummary): void {
    this.#touched.set(session.session_id, ++this.#clock);
    this.#removed.delete(session.session_id);
    const old = this.sessions.find((row) => row.session_id === session.session_id);
    const ended = old?.state === "running" && session.state !== "running";
    if (ended && session.session_id !== this.selected) this.unread = new Set([...this.unread, session.session_id]);
    this.#replace(session);
  }

  select(id: SessionId | null): void {
    this.selected = id;
    if (id !== null && this.unread.has(id)) this.unread = new Set([...this.unread].filter((other) => other !== id));
  }

  async rename(id: SessionId, title: string): Promise<AppError | null> {
    this.renaming = null;
    const old = this.sessions.find((row) => row.session_id === id);
    const clean = title.trim();
    if (!old || clean === "" || clean === old.title) return null;
    this.put({ ...old, title: clean, title_is_users: true });
    const mine = this.#touched.get(id);
    try {
      const reply = await this.#host.call("session.rename", { session_id: id, title: clean });
      this.put(reply.session);
      return null;
    } catch (thrown) {
      if (this.#touched.get(id) === mine) this.#replace(old);
      return asAppError(thrown);
    }
  }

  /** Hides the row at once. `undo` on the answer brings it back within ten seconds. */
  async remove(id: SessionId): Promise<AppError | null> {
    const old = this.sessions.find((row) => row.session_id === id);
    this.#drop(id);
    try {
      await this.#host.call("session.delete", { session_id: id, now: false });
      return null;
    } catch (thrown) {
      this.#removed.delete(id);
      if (old) this.#replace(old);
      return asAppError(thrown);
    }
  }

  async restore(id: SessionId): Promise<AppError | null> {
    try {
      const reply = await this.#host.call("session.restore", { session_id: id });
      this.put(reply.session);
      return null;
    } catch (thrown) {
      return asAppError(thrown);
    }
  }

  groups(now: Date = new Date()): SessionGroups {
    const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime() / 1000;
    const today: SessionSummary[] = [];
    const earlier: SessionSummary[] = [];
    for (const session of this.sessions) (session.last_active_at >= midnight ? today : earlier).push(session);
    return { today, earlier };
  }

  /** What the store answered, without losing rows that live or that changed while it answered. */
  #merge(answer: SessionSummary[], askedAt: number, filtered: boolean): void {
    const inAnswer = new Set(answer.map((row) => row.session_id));
    const newer = (id: SessionId) => (this.#touched.get(id) ?? 0) > askedAt;
    const mine = new Map(this.sessions.map((row) => [row.session_id, row]));
    const rows = answer
      .filter((row) => (this.#removed.get(row.session_id) ?? 0) < askedAt)
      .map((row) => (newer(row.session_id) ? (mine.get(row.session_id) ?? row) : row));
    const kept = this.sessions.filter(
      (row) =>
        !inAnswer.has(row.session_id) &&
        (newer(row.session_id) || (!filtered && (isLive(row) || row.session_id === this.selected))),
    );
    this.sessions = newestFirst([...rows, ...kept]);
  }

  #take(session: SessionSummary, askedAt: number): void {
    const id = session.session_id;
    if ((this.#touched.get(id) ?? 0) > askedAt || (this.#removed.get(id) ?? 0) > askedAt) return;
    this.#replace(session);
  }

  #replace(session: SessionSummary): void {
    const others = this.sessions.filter((row) => row.session_id !== session.session_id);
    this.sessions = newestFirst([...others, session]);
  }

  #drop(id: SessionId): void {
    this.#removed.set(id, ++this.#clock);
    this.sessions = this.sessions.filter((row) => row.session_id !== id);
  }
}

function isLive(row: SessionSummary): boolean {
  return row.state === "running" || row.state === "needs_you";
}

function newestFirst(rows: SessionSummary[]): SessionSummary[] {
  return rows.sort((a, b) => b.last_active_at - a.last_active_at || a.session_id.localeCompare(b.session_id));
}
