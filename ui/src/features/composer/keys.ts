export interface KeyLike {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

export type ComposerIntent = "send" | "queue" | "older" | "newer" | null;

/** Key code that browsers report for keys that an input method takes. */
const IME_KEY = 229;

/** What a key in the composer means; `null` leaves it to the text field. */
export function composerIntent(
  event: KeyLike,
  at: { running: boolean; empty: boolean; walking: boolean },
): ComposerIntent {
  if (event.isComposing || event.keyCode === IME_KEY || event.altKey) return null;
  const mod = event.ctrlKey || event.metaKey;
  if (event.key === "Enter") {
    if (event.shiftKey) return null;
    return mod && at.running ? "queue" : "send";
  }
  if (mod || event.shiftKey) return null;
  if (event.key === "ArrowUp" && (at.empty || at.walking)) return "older";
  if (event.key === "ArrowDown" && at.walking) return "newer";
  return null;
}
