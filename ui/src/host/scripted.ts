import type {
  AppError,
  BootFailure,
  EventFrame,
  Methods,
  RequestId,
  Requests,
  ServerRequest,
  SessionId,
} from "../bindings/protocol";
import {
  CallError,
  runtimeError,
  type Asker,
  type BootOutcome,
  type Host,
  type Method,
  type Params,
  type Reply,
  type RequestMethod,
  type WindowAction,
} from "./host";

/** An event without its place in a stream; the scripted host numbers it. */
export type ScriptedEvent = EventFrame extends infer F
  ? F extends EventFrame
    ? Pick<F, "type" | "payload">
    : never
  : never;

type Handler<M extends Method> = (params: Params<M>) => Reply<M> | Promise<Reply<M>>;
type Handlers = { [M in Method]?: Handler<M> };
export type Call = { [M in Method]: { method: M; params: Methods[M][0] } }[Method];
export type Answered = { [R in RequestMethod]: { method: R; id: RequestId; result: Requests[R][1] } }[RequestMethod];
type Askers = { [R in RequestMethod]?: Asker<R> };

/** Answers the port from a script: the whole interface runs in a plain browser and in unit tests. */
export class ScriptedHost implements Host {
  readonly drawsControls = true;
  readonly calls: Call[] = [];
  readonly answers: Answered[] = [];
  readonly opened: string[] = [];
  readonly windowActions: WindowAction[] = [];
  revealed = 0;
  ready = 0;
  /** What `open` answers; an empty list starts. */
  bootFailures: BootFailure[] = [];
  safeModes: boolean[] = [];
  /** Set to make every answer to a question fail. */
  answerError: AppError | null = null;
  /** Called with each answer, so that a script can go on. */
  onAnswer: (answer: Answered) => void = () => {};

  #handlers: Handlers = {};
  #listeners = new Set<(frame: EventFrame) => void>();
  #askers: Askers = {};
  #seq = new Map<SessionId | null, number>();

  on<M extends Method>(method: M, handler: Handler<M>): this {
    const handlers: { [K in M]?: Handler<K> } = this.#handlers;
    handlers[method] = handler;
    return this;
  }

  async open({ safeMode }: { safeMode: boolean }): Promise<BootOutcome> {
    this.safeModes.push(safeMode);
    const failure = this.bootFailures.shift();
    return failure ? { ok: false, failure } : { ok: true };
  }

  async call<M extends Method>(method: M, params: Params<M>): Promise<Reply<M>> {
    this.#record(method, params);
    const handlers: { [K in M]?: Handler<K> } = this.#handlers;
    const handler = handlers[method];
    if (!handler) throw new CallError(runtimeError("error.internal", `the script has no ${method}`));
    return handler(params);
  }

  onEvent(handler: (frame: EventFrame) => void): () => void {
    this.#listeners.add(handler);
    return () => this.#listeners.delete(handler);
  }

  onRequest<R extends RequestMethod>(method: R, ask: Asker<R>): () => void {
    const askers: { [K in R]?: Asker<K> } = this.#askers;
    askers[method] = ask;
    return () => delete askers[method];
  }

  async answer<R extends RequestMethod>(method: R, id: RequestId, result: Requests[R][1]): Promise<void> {
    if (this.answerError) throw new CallError(this.answerError);
    const answered = pair<Answered, R>({ method, id, result });
    this.answers.push(answered);
    this.onAnswer(answered);
  }

  async openUrl(url: string): Promise<void> {
    this.opened.push(url);
  }

  async revealHome(): Promise<void> {
    this.revealed += 1;
  }

  async reportReady(): Promise<void> {
    this.ready += 1;
  }

  async windowControl(action: WindowAction): Promise<void> {
    this.windowActions.push(action);
  }

  /** Newest number of a stream. */
  seq(session: SessionId | null): number {
    return this.#seq.get(session) ?? 0;
  }

  /** Numbers an event and delivers it. */
  emit(session: SessionId | null, event: ScriptedEvent): EventFrame {
    const frame = this.number(session, event);
    this.deliver(frame);
    return frame;
  }

  /** Numbers an event without delivering it: a lost one. */
  number(session: SessionId | null, event: ScriptedEvent): EventFrame {
    const seq = this.seq(session) + 1;
    this.#seq.set(session, seq);
    return { session_id: session, seq, ...event };
  }

  deliver(frame: EventFrame): void {
    for (const listener of this.#listeners) listener(frame);
  }

  ask(id: RequestId, request: ServerRequest): void {
    if (request.method === "approval") this.#askers.approval?.(id, request.params);
    else this.#askers.clarify?.(id, request.params);
  }

  #record<M extends Method>(method: M, params: Params<M>): void {
    this.calls.push(pair<Call, M>({ method, params }));
  }
}

// A pair of a generic key and its own value is one of the union's members; TypeScript cannot see that by itself.
type Wire = ReturnType<typeof JSON.parse>;
function pair<U, K>(value: { method: K } & Record<string, Wire>): U {
  const same: Wire = value;
  return same;
}
