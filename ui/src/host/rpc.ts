import type { AppError, EventFrame, RequestId, Requests, ServerRequest } from "../bindings/protocol";
import { CallError, runtimeError, type Asker, type Method, type Params, type Reply, type RequestMethod } from "./host";

/** What a client needs of its transport: put one frame of text on the wire. */
export type Send = (frame: string) => Promise<void> | void;

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

type Pending = { settle: (frame: AnswerFrame) => void; fail: (error: Error) => void };

// Replies have the generated type of their method; both sides of the wire come from one source, so they are not checked again.
type Wire = ReturnType<typeof JSON.parse>;
interface AnswerFrame {
  result?: Wire;
  error?: { code: number; message: string; data?: AppError };
}
type InFrame = AnswerFrame & { id?: number | string | null; method?: string; params?: Wire };

type Askers = { [R in RequestMethod]?: Asker<R> };

/** JSON-RPC 2.0 over a pair of `send` and `receive`. Knows frames, nothing of the transport. */
export class RpcClient {
  #next = 1;
  #pending = new Map<number, Pending>();
  #handlers = new Set<(frame: EventFrame) => void>();
  #askers: Askers = {};
  #early: ServerRequest[] = [];
  #earlyIds: RequestId[] = [];
  #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Reply<M>> {
    const id = this.#next++;
    return new Promise<Reply<M>>((resolve, reject) => {
      this.#pending.set(id, {
        settle: ({ result, error }) =>
          error ? reject(new CallError(error.data ?? wireError(error))) : resolve(result),
        fail: reject,
      });
      Promise.resolve(this.#send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))).catch((thrown: unknown) => {
        this.#pending.delete(id);
        reject(new CallError(runtimeError("error.connection", `the frame could not be sent: ${text(thrown)}`)));
      });
    });
  }

  onEvent(handler: (frame: EventFrame) => void): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Registers the one that shows questions of this method; questions that came before it are shown now. */
  onRequest<R extends RequestMethod>(method: R, ask: Asker<R>): () => void {
    const askers: { [K in R]?: Asker<K> } = this.#askers;
    askers[method] = ask;
    const early = this.#early;
    const ids = this.#earlyIds;
    this.#early = [];
    this.#earlyIds = [];
    early.forEach((request, i) => this.#ask(ids[i] ?? "", request));
    return () => {
      if (askers[method] === ask) delete askers[method];
    };
  }

  async answer<R extends RequestMethod>(_method: R, id: RequestId, result: Requests[R][1]): Promise<void> {
    await this.#send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  }

  receive(frame: string): void {
    let parsed: InFrame;
    try {
      parsed = JSON.parse(frame);
    } catch {
      console.error("the core sent a frame that is not JSON");
      return;
    }
    if (parsed.method === "event") {
      for (const handler of this.#handlers) handler(parsed.params);
    } else if (parsed.method !== undefined && typeof parsed.id === "string") {
      this.#request(parsed.id, parsed.method, parsed.params);
    } else if (typeof parsed.id === "number") {
      const pending = this.#pending.get(parsed.id);
      this.#pending.delete(parsed.id);
      pending?.settle(parsed);
    }
  }

  /** The connection is gone: every open call fails, so that nobody waits for ever. */
  close(why: string): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { fail } of pending) fail(new CallError(runtimeError("error.connection", why)));
  }

  #request(id: RequestId, method: string, params: Wire): void {
    if (method !== "approval" && method !== "clarify") {
      this.#refuse(id, METHOD_NOT_FOUND, `this client has no ${method}`);
    } else if (typeof params?.session_id !== "string" || typeof params?.call_id !== "string") {
      console.error(`malformed ${method} request ${id}`);
      this.#refuse(id, INVALID_PARAMS, "session_id and call_id are needed");
    } else {
      this.#ask(id, { method, params });
    }
  }

  #ask(id: RequestId, request: ServerRequest): void {
    const { approval, clarify } = this.#askers;
    if (request.method === "approval" && approval) approval(id, request.params);
    else if (request.method === "clarify" && clarify) clarify(id, request.params);
    else {
      this.#early.push(request);
      this.#earlyIds.push(id);
    }
  }

  #refuse(id: RequestId, code: number, message: string): void {
    void this.#send(JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } }));
  }
}

function wireError(error: { code: number; message: string }): AppError {
  return runtimeError("error.protocol", `${error.message} (${error.code})`);
}

function text(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
