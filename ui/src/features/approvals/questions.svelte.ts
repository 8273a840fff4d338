import type {
  AppError,
  ApprovalChoice,
  CallId,
  ClarifyReply,
  EventFrame,
  OpenRequest,
  RequestId,
  ServerRequest,
  SessionId,
} from "../../bindings/protocol";
import { asAppError, type Host } from "../../host/host";

export interface OpenQuestion {
  id: RequestId;
  request: ServerRequest;
  askedAt: number;
  /** Why the last answer did not arrive; the question is still open. */
  failure: AppError | null;
}

/** Questions of the core that wait for the person, oldest first, over all sessions. */
export class OpenQuestions {
  list = $state.raw<OpenQuestion[]>([]);
  /** What the screen reader is told at once. */
  spoken = $state.raw<OpenQuestion | null>(null);

  #host: Host;
  #now: () => number;
  #focused = new Set<RequestId>();
  /** Answered or withdrawn here; an older snapshot must not bring them back. */
  #settled = new Set<RequestId>();

  constructor(host: Host, now: () => number = () => Date.now() / 1000) {
    this.#host = host;
    this.#now = now;
  }

  /** Starts to show what the core asks. */
  listen(): () => void {
    const approval = this.#host.onRequest("approval", (id, params) => this.add(id, { method: "approval", params }));
    const clarify = this.#host.onRequest("clarify", (id, params) => this.add(id, { method: "clarify", params }));
    return () => {
      approval();
      clarify();
    };
  }

  add(id: RequestId, request: ServerRequest, askedAt: number = this.#now()): void {
    if (this.#settled.has(id) || this.list.some((question) => question.id === id)) return;
    const question = { id, request, askedAt, failure: null };
    this.list = [...this.list, question].sort((a, b) => a.askedAt - b.askedAt);
    this.spoken = question;
  }

  /** Open questions of a session as the core knows them: missing ones are shown, others of that session go. */
  restore(sessionId: SessionId, open: readonly OpenRequest[], complete: boolean): void {
    if (complete) {
      const ids = new Set(open.map((request) => request.id));
      this.list = this.list.filter(
        (question) => question.request.params.session_id !== sessionId || ids.has(question.id),
      );
    }
    for (const { id, request, asked_at } of open) {
      if (request.params.session_id === sessionId) this.add(id, request, asked_at);
    }
  }

  receive(event: EventFrame): void {
    if (event.type === "request.cancel") this.#close(event.payload.id);
  }

  /** Says once for each question that its card may take the focus; a card that comes back into view may not. */
  claimFocus(id: RequestId): boolean {
    if (this.#focused.has(id)) return false;
    this.#focused.add(id);
    return true;
  }

  of(sessionId: SessionId): OpenQuestion[] {
    return this.list.filter((question) => question.request.params.session_id === sessionId);
  }

  forCall(sessionId: SessionId, callId: CallId): OpenQuestion | undefined {
    return this.list.find(({ request: { params } }) => params.session_id === sessionId && params.call_id === callId);
  }

  /** Only an answer that the core offered is sent. */
  decide(id: RequestId, choice: ApprovalChoice, note: string | null = null): Promise<AppError | null> {
    const question = this.list.find((open) => open.id === id);
    if (question?.request.method !== "approval" || !offered(question.request.params.choices, choice))
      return Promise.resolve(null);
    const clean = note?.trim() ?? "";
    return this.#send(question, () => this.#host.answer("approval", id, { choice, note: clean === "" ? null : clean }));
  }

  reply(id: RequestId, answers: ClarifyReply["answers"]): Promise<AppError | null> {
    const question = this.list.find((open) => open.id === id);
    if (question?.request.method !== "clarify") return Promise.resolve(null);
    return this.#send(question, () => this.#host.answer("clarify", id, { answers }));
  }

  async #send(question: OpenQuestion, send: () => Promise<void>): Promise<AppError | null> {
    this.#close(question.id);
    try {
      await send();
      return null;
    } catch (thrown) {
      const failure = asAppError(thrown);
      this.#settled.delete(question.id);
      this.list = [...this.list, { ...question, failure }].sort((a, b) => a.askedAt - b.askedAt);
      return failure;
    }
  }

  #close(id: RequestId): void {
    this.#settled.add(id);
    this.list = this.list.filter((question) => question.id !== id);
    if (this.spoken?.id === id) this.spoken = null;
  }
}

/** A denial is always possible; a widening answer only if the core offers it. */
export function offered(choices: readonly ApprovalChoice[], choice: ApprovalChoice): boolean {
  return choice === "deny" || choices.includes(choice);
}
