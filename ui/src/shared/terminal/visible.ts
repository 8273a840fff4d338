/** Characters that hide or reorder their neighbours: controls but tab and line break, bidirectional overrides, invisibles. */
const hidden = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Shows hidden characters by their number, so that a command reads as what it is before someone allows it. */
export function visibleText(text: string): string {
  return text.replace(hidden, (char) => `\\u{${char.charCodeAt(0).toString(16).padStart(2, "0")}}`);
}
