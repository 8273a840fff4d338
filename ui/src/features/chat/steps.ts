import type { Verb } from "../../bindings/protocol";
import type { IconName } from "../../shared/icons/icons";

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
