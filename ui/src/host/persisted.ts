/** What the window remembers itself. Each key begins with its scope. */
export const PERSISTED = [
  "global/new-chat-draft",
  "global/new-chat-folder",
  "global/sidebar-width",
  "global/sidebar-hidden",
  "global/theme",
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

export function writePersisted(key: PersistedKey, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`talaria/${key}`);
    else localStorage.setItem(`talaria/${key}`, value);
  } catch {
    // Nothing to do: the value is only a convenience.
  }
}
