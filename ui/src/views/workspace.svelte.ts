import type { AppError, ApprovalMode, EventFrame, ModelRoute, SessionId, WhenBusy } from "../bindings/protocol";
import { OpenQuestions, type OpenQuestion } from "../features/approvals/questions.svelte";
import { Transcript } from "../features/chat/transcript.svelte";
import { Composer } from "../features/composer/composer.svelte";
import { ModelChoice } from "../features/composer/models.svelte";
import { SessionList } from "../features/sessions/list.svelte";
import { Core } from "../features/status/core.svelte";
import { asAppError, type Host } from "../host/host";
import { readPersisted, readRoute, writePersisted } from "../host/persisted";
import { failureText } from "../shared/i18n/failure";
import { t } from "../shared/i18n";
import { toasts } from "../shared/ui/toasts.svelte";

/** Chats that stay loaded while another one is shown. */
export const KEPT_CHATS = 8;

/** Profile of the scripted model. */
const DEMO = "demo";

/** The parts of the chat window and how they act on each other. */
export class Workspace {
  readonly host: Host;
  readonly core: Core;
  readonly list: SessionList;
  readonly questions: OpenQuestions;
  readonly composer: Composer;
  readonly models: ModelChoice;

  chat = $state.raw<Transcript | null>(null);
  sidebarHidden = $state(readPersisted("global/sidebar-hidden") === "1");
  /** The sidebar lies over the content; only in narrow windows. */
  sidebarOver = $state(false);
  failure = $state.raw<AppError | null>(null);

  /** What a new chat will start with. */
  folder = $state(readPersisted("global/new-chat-folder") ?? "");
  newModel = $state.raw<ModelRoute | null>(readRoute());
  newMode = $state<ApprovalMode | null>(null);

  readonly session = $derived(this.chat?.session ?? null);
  readonly asked: OpenQuestion[] = $derived.by(() =>
    this.chat === null ? [] : this.questions.of(this.chat.sessionId),
  );
  readonly route: ModelRoute | null = $derived.by(
    () => this.session?.model ?? this.newModel ?? this.models.defaultModel ?? this.core.hello?.default_model ?? null,
  );
  readonly mode: ApprovalMode = $derived.by(() => this.session?.approval_mode ?? this.newMode ?? this.core.defaultMode);

  #kept = new Map<SessionId, Transcript>();
  #opening = 0;

  constructor(host: Host) {
    this.host = host;
    this.core = new Core(host);
    this.list = new SessionList(host);
    this.questions = new OpenQuestions(host);
    this.composer = new Composer(host);
    this.models = new ModelChoice(host);
    this.core.onMissed = () => void this.list.refresh();
  }

  /** Says hello, then loads the list, the models and the chat that was open last. */
  async start(): Promise<void> {
    this.host.onEvent((frame) => this.#receive(frame));
    this.questions.listen();
    this.failure = await this.core.greet("main", __APP_VERSION__);
    if (this.failure) return;
    const last = readPersisted("window/session");
    if (last !== null) this.open(last, "at_start");
    await Promise.all([this.list.refresh(), this.models.load(false)]);
  }

  async retryStart(): Promise<void> {
    this.failure = await this.core.greet("main", __APP_VERSION__);
    if (!this.failure) await Promise.all([this.list.refresh(), this.models.load(false)]);
  }

  /** Shows a session. Its rows are painted at once when it is still loaded. */
  open(id: SessionId, when: "by_person" | "at_start" = "by_person"): void {
    this.#opening += 1;
    this.sidebarOver = false;
    if (this.chat?.sessionId === id) return;
    const known = this.#kept.get(id);
    const chat = known ?? this.#transcript(id);
    this.#show(chat);
    if (!known || chat.state === "failed") void this.#load(chat, when);
  }

  newChat(): void {
    this.#opening += 1;
    this.sidebarOver = false;
    this.chat = null;
    this.list.select(null);
    this.composer.open(null);
    writePersisted("window/session", null);
  }

  async send(whenBusy: WhenBusy): Promise<void> {
    const reply = await this.composer.submit(whenBusy, () => this.#target());
    if (reply === null && this.composer.failure?.kind === "no_model") this.models.open = true;
  }

  /** Sends the last prompt of the failed turn again. */
  async retry(text: string): Promise<void> {
    const chat = this.chat;
    if (chat === null) return;
    try {
      await this.host.call("prompt.submit", {
        session_id: chat.sessionId,
        text,
        when_busy: "queue",
        client_token: crypto.randomUUID(),
      });
    } catch (thrown) {
      this.#tell(asAppError(thrown));
    }
  }

  /** Suggestions and the demo: the text goes out as if typed. */
  async begin(text: string): Promise<void> {
    this.composer.typed(text);
    await this.send("steer");
  }

  async stop(): Promise<void> {
    const failure = await this.chat?.interrupt();
    if (failure) this.#tell(failure);
  }

  /** The choice sticks to new chats of this device. The demo does not: a real model that appears later goes before it. */
  forNewChats(route: ModelRoute): void {
    this.newModel = route;
    writePersisted("global/new-chat-model", route.provider === DEMO ? null : JSON.stringify(route));
  }

  async chooseModel(route: ModelRoute): Promise<void> {
    this.models.open = false;
    const chat = this.chat;
    this.forNewChats(route);
    if (chat === null) return;
    const result = await this.models.choose(chat.sessionId, route);
    if ("kind" in result) this.#tell(result);
    else if (result.cacheLost) toasts.show({ text: t("model.cacheLost"), icon: "cpu" });
  }

  async chooseMode(mode: ApprovalMode): Promise<void> {
    const chat = this.chat;
    if (chat === null) {
      this.newMode = mode;
      return;
    }
    const failure = await this.core.setMode(chat.sessionId, mode);
    if (failure) this.#tell(failure);
  }

  async remove(id: SessionId): Promise<void> {
    const shown = this.chat?.sessionId === id;
    if (shown) this.newChat();
    const failure = await this.list.remove(id);
    if (failure) {
      this.#tell(failure);
      return;
    }
    this.#kept.delete(id);
    toasts.show({
      text: t("sessions.deleted"),
      icon: "check",
      undo: true,
      action: { label: t("sessions.undo"), run: () => void this.#restore(id, shown) },
    });
  }

  async rename(id: SessionId, title: string): Promise<void> {
    const failure = await this.list.rename(id, title);
    if (failure) this.#tell(failure);
  }

  // ---- queue of the shown chat

  editQueued(entryId: string, text: string): Promise<void> {
    return this.#queue((session_id) => this.host.call("session.queue.edit", { session_id, entry_id: entryId, text }));
  }

  moveQueued(entryId: string, index: number): Promise<void> {
    return this.#queue((session_id) => this.host.call("session.queue.move", { session_id, entry_id: entryId, index }));
  }

  removeQueued(entryId: string): Promise<void> {
    return this.#queue((session_id) => this.host.call("session.queue.remove", { session_id, entry_id: entryId }));
  }

  resumeQueue(): Promise<void> {
    return this.#queue((session_id) => this.host.call("session.queue.resume", { session_id }));
  }

  setFolder(folder: string): void {
    this.folder = folder;
    writePersisted("global/new-chat-folder", folder === "" ? null : folder);
  }

  toggleSidebar(): void {
    if (window.matchMedia("(max-width: 759px)").matches) {
      this.sidebarOver = !this.sidebarOver;
      return;
    }
    this.sidebarHidden = !this.sidebarHidden;
    writePersisted("global/sidebar-hidden", this.sidebarHidden ? "1" : null);
  }

  #receive(frame: EventFrame): void {
    if (!this.core.receive(frame)) return;
    this.list.receive(frame);
    this.questions.receive(frame);
    if (frame.session_id === null) {
      if (frame.type === "sessions.changed" && frame.payload.removed !== null) this.#gone(frame.payload.removed);
      return;
    }
    this.#kept.get(frame.session_id)?.receive(frame);
  }

  /** The session of the text: the shown one, or a new one. */
  async #target(): Promise<SessionId> {
    if (this.chat !== null) return this.chat.sessionId;
    const opening = this.#opening;
    const model = this.newModel;
    // The demo brings its own sample project.
    const folder = this.route?.provider === DEMO ? "" : this.folder.trim();
    const snapshot = await this.host.call("session.create", {
      project_dir: folder === "" ? null : folder,
      model,
      approval_mode: this.newMode,
      max_iterations: null,
    });
    const chat = this.#transcript(snapshot.session.session_id);
    chat.adopt(snapshot);
    this.#kept.set(chat.sessionId, chat);
    if (opening === this.#opening) {
      this.composer.become(chat.sessionId);
      this.#show(chat);
    }
    return chat.sessionId;
  }

  #transcript(id: SessionId): Transcript {
    return new Transcript(this.host, id, {
      epoch: () => this.core.epoch,
      onSnapshot: (snapshot) => {
        this.questions.restore(id, snapshot.open_requests, true);
        this.composer.restore(id, snapshot.draft);
        if (snapshot.session.message_count > 0) this.list.put(snapshot.session);
      },
      onOpenRequests: (requests) => this.questions.restore(id, requests, true),
    });
  }

  async #load(chat: Transcript, when: "by_person" | "at_start"): Promise<void> {
    await chat.load();
    if (chat.failure?.kind !== "not_found") return;
    // A chat that was open last time and never got a message is simply not there.
    if (when === "at_start" && this.chat === chat) this.newChat();
    else this.#gone(chat.sessionId);
  }

  #show(chat: Transcript): void {
    this.#kept.delete(chat.sessionId);
    this.#kept.set(chat.sessionId, chat);
    for (const [id, kept] of this.#kept) {
      if (this.#kept.size <= KEPT_CHATS) break;
      if (!kept.running && id !== chat.sessionId) this.#kept.delete(id);
    }
    this.chat = chat;
    this.list.select(chat.sessionId);
    this.composer.open(chat.sessionId);
    writePersisted("window/session", chat.sessionId);
  }

  /** A session is gone: the unsent text moves into a new chat. */
  #gone(id: SessionId): void {
    this.#kept.delete(id);
    if (this.chat?.sessionId !== id) return;
    const unsent = this.composer.text;
    this.newChat();
    if (unsent.trim() !== "") this.composer.prepend(unsent);
    toasts.show({ text: t("sessions.gone"), icon: "message-square" });
  }

  async #restore(id: SessionId, show: boolean): Promise<void> {
    const failure = await this.list.restore(id);
    if (failure) this.#tell(failure);
    else if (show) this.open(id);
  }

  async #queue(call: (id: SessionId) => Promise<{ entries: Transcript["queue"]; paused: boolean }>): Promise<void> {
    const chat = this.chat;
    if (chat === null) return;
    try {
      const reply = await call(chat.sessionId);
      chat.queue = reply.entries;
      chat.queuePaused = reply.paused;
    } catch (thrown) {
      this.#tell(asAppError(thrown));
    }
  }

  /** An ability of the shell that may fail, such as opening a link. */
  attempt(act: Promise<void>): void {
    act.catch((thrown: unknown) => this.#tell(asAppError(thrown)));
  }

  #tell(error: AppError): void {
    toasts.show({ text: failureText(error), icon: "circle-x" });
  }
}
