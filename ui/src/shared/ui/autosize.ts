import type { Attachment } from "svelte/attachments";

export interface AutosizeOptions {
  /** The present value: the height follows it also when a program changed it. */
  value: string;
  /** The largest height, as a share of the window's. */
  maxShare?: number;
}

/** Lets a text area grow with its text; past the largest height it scrolls. */
export function autosize({ value, maxShare = 0.4 }: AutosizeOptions): Attachment<HTMLTextAreaElement> {
  return (node) => {
    const fit = () => {
      // `auto` first: a text area never reports less than its present height.
      node.style.blockSize = "auto";
      const most = Math.floor(innerHeight * maxShare);
      const height = Math.min(node.scrollHeight, most);
      node.style.blockSize = `${height}px`;
      node.style.overflowY = node.scrollHeight > most ? "auto" : "hidden";
    };
    if (node.value !== value) node.value = value;
    fit();
    node.addEventListener("input", fit);
    window.addEventListener("resize", fit);
    return () => {
      node.removeEventListener("input", fit);
      window.removeEventListener("resize", fit);
    };
  };
}
