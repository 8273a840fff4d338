/** The last part of a folder's path, as it is called in lists. */
export function folderName(path: string): string {
  const trimmed = path.replace(/[/\\]+$/, "");
  return trimmed.slice(Math.max(trimmed.lastIndexOf("/"), trimmed.lastIndexOf("\\")) + 1) || path;
}

const TAGS = 8;

/** The project colour of a folder, the same every time. */
export function tagColour(path: string): string {
  let sum = 0;
  for (let i = 0; i < path.length; i += 1) sum = (sum * 31 + path.charCodeAt(i)) % 9973;
  return `var(--tag-${(sum % TAGS) + 1})`;
}

/** Whether a path begins at the root, on Unix or Windows, or at the home folder. */
export function isAbsolute(path: string): boolean {
  return /^(\/|~(\/|$)|[A-Za-z]:[\\/]|\\\\)/.test(path);
}
