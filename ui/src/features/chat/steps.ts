import type { Verb } from "../../bindings/protocol";
import type { IconName } from "../../shared/icons/icons";
import { duration } from "../../shared/format";

/** A step that took less than this is shown without its duration: there is nothing to learn from it. */
const NOTABLE_MS = 100;

export function notableDuration(milliseconds: number | null): string {
  return milliseconds === null || milliseconds < NOTABLE_MS ? "" : duration(milliseconds);
}

/** One icon for each verb of a step. */
export const VERB_ICON: Record<Verb, IconName> = {
  read: "file",
  search: "search",
  edit: "pencil",
  run: "terminal",
  fetch: "globe",
  open: "external-link",
  ask: "message-square",
  plan: "list-checks",
  use: "wrench",
};
