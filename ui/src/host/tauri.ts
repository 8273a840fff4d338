import { Channel, invoke } from "@tauri-apps/api/core";
import type { BootFailure, EventFrame, RequestId, Requests } from "../bindings/protocol";
import type { Asker, BootOutcome, Host, Method, Params, Reply, RequestMethod, WindowAction } from "./host";
import { RpcClient } from "./rpc";

/** The host inside the desktop shell: protocol frames over one channel, shell abilities as commands. */
export class TauriHost implements Host {
  readonly drawsControls = true;
  #rpc = new RpcClient((frame) => invoke("core_send", { frame }));

  async open({ safeMode }: { safeMode: boolean }): Promise<BootOutcome> {
    const channel = new Channel<string>();
    channel.onmessage = (frame) => this.#rpc.receive(frame);
    try {
      await invoke("core_open", { safeMode, channel });
      return { ok: true };
    } catch (thrown) {
      return { ok: false, failure: bootFailure(thrown) };
    }
  }

  call<M extends Method>(method: M, params: Params<M>): Promise<Reply<M>> {
    return this.#rpc.call(method, params);
  }

  onEvent(handler: (frame: EventFrame) => void): () => void {
    return this.#rpc.onEvent(handler);
  }

  onRequest<R extends RequestMethod>(method: R, ask: Asker<R>): () => void {
    return this.#rpc.onRequest(method, ask);
  }

  answer<R extends RequestMethod>(method: R, id: RequestId, result: Requests[R][1]): Promise<void> {
    return this.#rpc.answer(method, id, result);
  }

  openUrl(url: string): Promise<void> {
    return invoke("shell_open_url", { url });
  }

  revealHome(): Promise<void> {
    return invoke("shell_reveal_home");
  }

  reportReady(): Promise<void> {
    return invoke("shell_ready");
  }

  windowControl(action: WindowAction): Promise<void> {
    return invoke("shell_window", { action });
  }
}

/** Whether the page runs inside the shell. */
export function insideShell(): boolean {
  return "__TAURI_INTERNALS__" in window;
}

function isBootFailure(value: unknown): value is BootFailure {
  return typeof value === "object" && value !== null && "error" in value && "log_tail" in value;
}

function bootFailure(thrown: unknown): BootFailure {
  if (isBootFailure(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    error: {
      kind: "internal",
      layer: "runtime",
      message,
      hint: null,
      retryable: true,
      key: "error.internal",
      values: {},
    },
    log_tail: [],
    home: "",
    log_path: "",
    held_by: null,
  };
}
