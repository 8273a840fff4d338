import type { AppError, BootFailure, EventFrame, Methods, RequestId, Requests } from "../bindings/protocol";

export type Method = keyof Methods;
export type Params<M extends Method> = Methods[M][0];
export type Reply<M extends Method> = Methods[M][1];
export type RequestMethod = keyof Requests;

/** Shows a question of the core. It stays open until `Host.answer` names its id or the core withdraws it. */
export type Asker<R extends RequestMethod> = (id: RequestId, params: Requests[R][0]) => void;

export type BootOutcome = { ok: true } | { ok: false; failure: BootFailure };

export type WindowAction = "minimise" | "toggle_maximise" | "close";

/** The one door to the outside: the core behind its protocol, and what only a desktop shell can do. */
export interface Host {
  /** Starts the core, or says why it did not start. May be called again after a failure. */
  open(options: { safeMode: boolean }): Promise<BootOutcome>;
  /** Fails with a `CallError` that carries the core's own error. */
  call<M extends Method>(method: M, params: Params<M>): Promise<Reply<M>>;
  onEvent(handler: (frame: EventFrame) => void): () => void;
  onRequest<R extends RequestMethod>(method: R, ask: Asker<R>): () => void;
  /** Answers a question, also one that came with a snapshot. The first answer wins in the core. */
  answer<R extends RequestMethod>(method: R, id: RequestId, result: Requests[R][1]): Promise<void>;
  openUrl(url: string): Promise<void>;
  revealHome(): Promise<void>;
  reportReady(): Promise<void>;
  windowControl(action: WindowAction): Promise<void>;
  /** Whether the window draws its own controls. */
  readonly drawsControls: boolean;
}

/** A failed call. Branch on `error.kind`. */
export class CallError extends Error {
  constructor(readonly error: AppError) {
    super(error.message);
    this.name = "CallError";
  }
}

/** Turns whatever was thrown into the error that a person is shown. */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof CallError) return thrown.error;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return runtimeError("error.internal", message);
}

export function runtimeError(key: string, message: string): AppError {
  return { kind: "internal", layer: "runtime", message, hint: null, retryable: true, key, values: {} };
}
