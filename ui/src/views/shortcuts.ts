export type Shortcut = "new_chat" | "sidebar" | "composer" | "models" | "search" | "escape";

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/** Keys of the window; `mod` is Ctrl or Cmd. */
export function shortcut(event: Key): Shortcut | null {
  if (event.key === "Escape") return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? null : "escape";
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  const key = event.key.toLowerCase();
  if (event.shiftKey) return key === "m" ? "models" : key === "f" ? "search" : null;
  switch (key) {
    case "n":
      return "new_chat";
    case "b":
      return "sidebar";
    case "l":
      return "composer";
    default:
      return null;
  }
}
