import { t } from "../i18n";

/** A key of a shortcut: `mod` is Cmd on Apple systems and Ctrl elsewhere; single characters stand for themselves. */
export type Key = string;

export function onApple(): boolean {
  return /^(Mac|iP)/.test(navigator.platform);
}

/** What a key cap shows. */
export function keyCap(key: Key): string {
  const apple = onApple();
  switch (key) {
    case "mod":
      return apple ? "⌘" : t("key.ctrl");
    case "ctrl":
      return apple ? "⌃" : t("key.ctrl");
    case "alt":
      return apple ? "⌥" : t("key.alt");
    case "shift":
      return "⇧";
    case "enter":
      return "↵";
    case "up":
      return "↑";
    case "down":
      return "↓";
    case "esc":
      return t("key.esc");
    case "tab":
      return t("key.tab");
    case "space":
      return t("key.space");
    case "delete":
      return t("key.delete");
    case "backspace":
      return t("key.backspace");
    default:
      return key.toUpperCase();
  }
}

const ariaNames: Readonly<Record<string, string>> = {
  ctrl: "Control",
  alt: "Alt",
  shift: "Shift",
  enter: "Enter",
  esc: "Escape",
  tab: "Tab",
  space: "Space",
  up: "ArrowUp",
  down: "ArrowDown",
  delete: "Delete",
  backspace: "Backspace",
};

/** The value of `aria-keyshortcuts` for a shortcut. */
export function ariaShortcut(keys: readonly Key[]): string {
  const mod = onApple() ? "Meta" : "Control";
  return keys.map((key) => (key === "mod" ? mod : (ariaNames[key] ?? key.toUpperCase()))).join("+");
}
