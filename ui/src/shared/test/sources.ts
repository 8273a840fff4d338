import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

export interface Source {
  /** Path below `src`, with forward slashes. */
  path: string;
  text: string;
}

const root = join(import.meta.dirname, "..", "..");

/** All hand-written sources of the UI whose name ends in one of `ends`. */
export function sources(...ends: string[]): Source[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ends.some((end) => entry.name.endsWith(end)))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file).split(sep).join("/"), text: readFileSync(file, "utf8") }))
    .sort((a, b) => a.path.localeCompare(b.path));
}
