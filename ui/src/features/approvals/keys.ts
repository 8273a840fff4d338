import type { ApprovalChoice } from "../../bindings/protocol";

type Key = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey" | "isComposing">;

/** What a key means while the focus is inside an approval card. Nothing here ever widens an answer. */
export function approvalIntent(
  event: Key,
  at: { onCard: boolean; noting: boolean },
): Extract<ApprovalChoice, "once" | "deny"> | "close_note" | null {
  if (event.isComposing || event.altKey || event.shiftKey) return null;
  if (event.key === "Escape") return at.noting ? "close_note" : "deny";
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return at.noting ? null : "once";
  return null;
}
