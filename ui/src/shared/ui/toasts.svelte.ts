import type { IconName } from "../icons/icons";

export interface ToastOptions {
  text: string;
  icon?: IconName;
  action?: { label: string; run: () => void };
  /** The action takes something back: the toast stays longer. */
  undo?: boolean;
}

export interface Toast extends ToastOptions {
  readonly id: number;
}

const stay = 6_000;
const stayWithUndo = 10_000;
const most = 2;

/** Results of the person's own actions, at most two at a time. What the agent did belongs into the transcript. */
export class Toasts {
  shown = $state.raw<readonly Toast[]>([]);
  #next = 1;
  #held = false;
  readonly #left = new Map<number, number>();
  readonly #timers = new Map<number, { timer: ReturnType<typeof setTimeout>; since: number }>();

  show(options: ToastOptions): number {
    const toast: Toast = { ...options, id: this.#next++ };
    const kept = [...this.shown, toast];
    for (const old of kept.slice(0, -most)) this.#forget(old.id);
    this.shown = kept.slice(-most);
    this.#left.set(toast.id, options.undo ? stayWithUndo : stay);
    if (!this.#held) this.#start(toast.id);
    return toast.id;
  }

  dismiss(id: number): void {
    this.#forget(id);
    this.shown = this.shown.filter((toast) => toast.id !== id);
  }

  act(toast: Toast): void {
    this.dismiss(toast.id);
    toast.action?.run();
  }

  /** Stops the clock while the pointer or the focus is on the stack. */
  hold(): void {
    if (this.#held) return;
    this.#held = true;
    for (const [id, { timer, since }] of this.#timers) {
      clearTimeout(timer);
      this.#left.set(id, Math.max(1_000, (this.#left.get(id) ?? 0) - (Date.now() - since)));
    }
    this.#timers.clear();
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    for (const id of this.#left.keys()) this.#start(id);
  }

  #start(id: number): void {
    const timer = setTimeout(() => this.dismiss(id), this.#left.get(id));
    this.#timers.set(id, { timer, since: Date.now() });
  }

  #forget(id: number): void {
    clearTimeout(this.#timers.get(id)?.timer);
    this.#timers.delete(id);
    this.#left.delete(id);
  }
}

export const toasts = new Toasts();
