import type { AppError, PromptReply, SessionId, WhenBusy } from "../../bindings/protocol";
import { asAppError, type Host } from "../../host/host";
import { readPersisted, writePersisted } from "../../host/persisted";

export const DRAFT_DELAY_MS = 400;

/** Where a text goes that has no session yet. */
const NEW = "";

/** The text being written, one draft a session, and what was sent before. */
export class Composer {
  text = $state("");
  sending = $state(false);
  failure = $state.raw<AppError | null>(null);
  walking = $state(false);

  #host: Host;
  #session: SessionId | null = null;
  #drafts = new Map<string, string>();
  #unsaved = new Map<SessionId, string>();
  #tokens = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #step = 0;

  constructor(host: Host) {
    this.#host = host;
    this.text = readPersisted("global/new-chat-draft") ?? "";
    this.#drafts.set(NEW, this.text);
  }

  get session(): SessionId | null {
    return this.#session;
  }

  /** Shows the draft of another session; what was typed before is kept with its own. */
  open(session: SessionId | null): void {
    if (session === this.#session) return;
    this.flush();
    this.#session = session;
    this.#show(this.#drafts.get(session ?? NEW) ?? "");
    this.failure = null;
  }

  /** The core's draft. What was typed here since is newer and stays. */
  restore(session: SessionId, draft: string): void {
    if (this.#drafts.has(session)) return;
    this.#drafts.set(session, draft);
    if (session === this.#session && this.text === "") this.#show(draft);
  }

  /** A chat that began as a new one keeps its text under its own id. */
  become(session: SessionId): void {
    if (this.#session !== null) return;
    this.#session = session;
    this.#drafts.set(session, this.text);
    this.#drafts.set(NEW, "");
    writePersisted("global/new-chat-draft", null);
  }

  typed(text: string): void {
    this.text = text;
    this.walking = false;
    this.#keep(text);
  }

  /** Writes drafts that are not stored yet. */
  flush(): void {
    clearTimeout(this.#timer);
    for (const [session_id, text] of this.#unsaved) {
      // A draft that cannot be stored is still in the window and is tried again with the next key.
      this.#host.call("session.draft", { session_id, text }).catch(() => this.#unsaved.set(session_id, text));
    }
    this.#unsaved.clear();
  }

  /**
   * Sends the text. The field empties at once; if the core refuses, the text is back.
   * `target` gives the session and may have to create it first.
   */
  async submit(whenBusy: WhenBusy, target: () => Promise<SessionId>): Promise<PromptReply | null> {
    const text = this.text;
    if (text.trim() === "" || this.sending) return null;
    this.sending = true;
    this.failure = null;
    const token = this.#tokens.get(text) ?? crypto.randomUUID();
    this.#tokens.set(text, token);
    let from = this.#session ?? NEW;
    this.#show("");
    try {
      const session_id = await target();
      from = session_id;
      const reply = await this.#host.call("prompt.submit", {
        session_id,
        text,
        when_busy: whenBusy,
        client_token: token,
      });
      this.#tokens.delete(text);
      this.#sent(session_id);
      return reply;
    } catch (thrown) {
      this.failure = asAppError(thrown);
      this.#giveBack(from, text);
      return null;
    } finally {
      this.sending = false;
    }
  }

  /** Puts a text before what is written, for example one taken out of the queue. */
  prepend(text: string): void {
    this.typed(this.text.trim() === "" ? text : `${text}\n\n${this.text}`);
  }

  /** Walks through what the person sent, newest first; `sent` is oldest first. */
  walk(direction: "older" | "newer", sent: readonly string[]): void {
    const step = (this.walking ? this.#step : 0) + (direction === "older" ? 1 : -1);
    if (step > sent.length) return;
    this.#step = Math.max(step, 0);
    this.walking = this.#step > 0;
    this.text = this.walking ? (sent[sent.length - this.#step] ?? "") : "";
    this.#keep(this.text);
  }

  #keep(text: string): void {
    this.#drafts.set(this.#session ?? NEW, text);
    if (this.#session === null) {
      writePersisted("global/new-chat-draft", text === "" ? null : text);
      return;
    }
    this.#unsaved.set(this.#session, text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DRAFT_DELAY_MS);
  }

  #show(text: string): void {
    this.text = text;
    this.walking = false;
    this.#step = 0;
  }

  #sent(session: SessionId): void {
    const now = session === this.#session ? this.text : (this.#drafts.get(session) ?? "");
    const draft = session === this.#session ? now : "";
    this.#drafts.set(session, draft);
    this.#unsaved.set(session, draft);
    this.flush();
  }

  #giveBack(from: string, text: string): void {
    const here = from === (this.#session ?? NEW);
    const written = here ? this.text : (this.#drafts.get(from) ?? "");
    const all = written.trim() === "" || written === text ? text : `${text}\n\n${written}`;
    if (here) this.typed(all);
    else this.#drafts.set(from, all);
  }
}
