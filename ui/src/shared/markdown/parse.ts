import type { Block } from "./stream";
import { StreamingDocument } from "./stream";

/** Reads a document that will not grow. */
export function parseMarkdown(text: string): readonly Block[] {
  return new StreamingDocument().update(text, true);
}
