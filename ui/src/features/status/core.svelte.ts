import type { AppError, ApprovalMode, EventFrame, HelloReply, Notice, SessionId } from "../../bindings/protocol";
import { asAppError, type Host } from "../../host/host";

export const PROTOCOL = "1.0";
export const CAPABILITIES = ["approval", "clarify"];

/** What is known of the core: who it is, which notices hold, which mode is the default. */
export class Core {
  hello = $state.raw<HelloReply | null>(null);
  notices = $state.raw<Notice[]>([]);
  dismissed = $state.raw<ReadonlySet<string>>(new Set());
  defaultMode = $state<ApprovalMode>("ask");
  /** The newest global event was missed; lists must be asked for again. */
  onMissed: () => void = () => {};

  readonly visible = $derived(this.notices.filter((notice) => !this.dismissed.has(notice.notice_id)));

  #host: Host;
  #seq = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  get epoch(): string {
    return this.hello?.epoch ?? "";
  }

  async greet(windowId: string, appVersion: string): Promise<AppError | null> {
    try {
      const hello = await this.#host.call("client.hello", {
        protocol: PROTOCOL,
        app_version: appVersion,
        client: "desktop",
        window_id: windowId,
        capabilities: CAPABILITIES,
        resume: null,
      });
      this.#seq = hello.global_seq;
      this.hello = hello;
      this.notices = hello.notices;
      this.defaultMode = hello.default_mode;
      return null;
    } catch (thrown) {
      return asAppError(thrown);
    }
  }

  /** Takes a global event; says whether it is new. */
  receive(event: EventFrame): boolean {
    if (event.session_id !== null) return true;
    if (event.seq <= this.#seq) return false;
    if (event.seq > this.#seq + 1) this.onMissed();
    this.#seq = event.seq;
    if (event.type === "notice.show") {
      const { notice } = event.payload;
      this.notices = [...this.notices.filter((other) => other.notice_id !== notice.notice_id), notice];
      this.dismissed = new Set([...this.dismissed].filter((id) => id !== notice.notice_id));
    } else if (event.type === "notice.clear") {
      const { notice_id } = event.payload;
      this.notices = this.notices.filter((other) => other.notice_id !== notice_id);
    }
    return true;
  }

  dismiss(noticeId: string): void {
    this.dismissed = new Set([...this.dismissed, noticeId]);
  }

  async setMode(session: SessionId | null, mode: ApprovalMode): Promise<AppError | null> {
    try {
      const reply = await this.#host.call("approvals.mode.set", { session_id: session, mode });
      if (session === null) this.defaultMode = reply.mode;
      return null;
    } catch (thrown) {
      return asAppError(thrown);
    }
  }
}
