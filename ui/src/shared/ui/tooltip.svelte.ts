import type { Attachment } from "svelte/attachments";
import type { Key } from "./keys";

export interface Tip {
  text: string;
  shortcut?: readonly Key[] | undefined;
}

const restTime = 500;
/** After one tooltip has gone, the next one comes at once within this time: moving along a bar. */
const warmTime = 300;

class Tooltips {
  shown = $state.raw<{ tip: Tip; target: Element } | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hiddenAt = -Infinity;

  enter(target: Element, tip: Tip): void {
    clearTimeout(this.#timer);
    const warm = this.shown !== null || performance.now() - this.#hiddenAt < warmTime;
    if (warm) this.shown = { tip, target };
    else this.#timer = setTimeout(() => (this.shown = { tip, target }), restTime);
  }

  leave(target: Element): void {
    clearTimeout(this.#timer);
    if (this.shown?.target !== target) return;
    this.shown = null;
    this.#hiddenAt = performance.now();
  }

  /** Hides at once and forgets the warmth: after a press. */
  dismiss(): void {
    clearTimeout(this.#timer);
    this.shown = null;
    this.#hiddenAt = -Infinity;
  }
}

export const tooltips = new Tooltips();

/** Shows a tooltip while the pointer rests on the element or the keyboard focuses it. Needs one `TooltipHost` on the page. */
export function tooltip(tip: Tip | undefined): Attachment<HTMLElement> {
  return (node) => {
    if (!tip) return;
    const enter = (event: PointerEvent) => {
      if (event.pointerType !== "touch") tooltips.enter(node, tip);
    };
    const focus = () => {
      if (node.matches(":focus-visible")) tooltips.enter(node, tip);
    };
    const leave = () => tooltips.leave(node);
    const press = () => tooltips.dismiss();
    node.addEventListener("pointerenter", enter);
    node.addEventListener("pointerleave", leave);
    node.addEventListener("pointerdown", press);
    node.addEventListener("focus", focus);
    node.addEventListener("blur", leave);
    return () => {
      node.removeEventListener("pointerenter", enter);
      node.removeEventListener("pointerleave", leave);
      node.removeEventListener("pointerdown", press);
      node.removeEventListener("focus", focus);
      node.removeEventListener("blur", leave);
      tooltips.leave(node);
    };
  };
}
