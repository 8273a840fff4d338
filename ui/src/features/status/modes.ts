import type { ApprovalMode } from "../../bindings/protocol";

/** From the one that asks most to the one that asks nothing. */
export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "accept_edits", "smart", "plan", "auto"];

/** The confirmation of "auto" is typed, so that no slip of the hand switches the questions off. */
export function confirmsAuto(typed: string, word: string): boolean {
  return typed.trim().toLocaleLowerCase() === word.toLocaleLowerCase();
}
