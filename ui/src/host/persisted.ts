import type { ModelRoute } from "../bindings/protocol";

/** What the window remembers itself. Each key begins with its scope. */
export const PERSISTED = [
  "global/new-chat-draft",
  "global/new-chat-folder",
  "global/new-chat-model",
  "global/sidebar-hidden",
  "window/session",
  "connection/auto-confirmed",
] as const;

export type PersistedKey = (typeof PERSISTED)[number];

/** Storage may be off or full; then nothing is remembered and nothing fails. */
export function readPersisted(key: PersistedKey): string | null {
  try {
    return localStorage.getItem(`talaria/${key}`);
  } catch {
    return null;
  }
}

/** A model that was chosen before; a value of another shape is as good as none. */
export function readRoute(): ModelRoute | null {
  try {
    const value: unknown = JSON.parse(readPersisted("global/new-chat-model") ?? "null");
    return isRoute(value) ? value : null;
  } catch {
    return null;
  }
}

function isRoute(value: unknown): value is ModelRoute {
  return (
    typeof value === "object" &&
    value !== null &&
    "provider" in value &&
    "model" in value &&
    "base_url" in value &&
    "api_key_env" in value
  );
}

export function writePersisted(key: PersistedKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`talaria/${key}`);
    else localStorage.setItem(`talaria/${key}`, value);
  } catch {
    // Nothing to do: the value is only a convenience.
  }
}
