/** What Markdown means here. Components show these nodes; none of them can carry markup. */

export type Inline =
  | { type: "text"; text: string }
  | { type: "strong" | "emphasis" | "deleted"; children: Inline[] }
  | { type: "code"; text: string }
  | { type: "break" }
  | { type: "link"; href: string; children: Inline[] }
  | { type: "image"; text: string };

export interface ListItem {
  /** `null` for items that are no tasks. */
  checked: boolean | null;
  children: BlockNode[];
}

export type Alignment = "start" | "center" | "end";

export interface Cell {
  align: Alignment;
  children: Inline[];
}

export type BlockNode =
  | { type: "paragraph"; children: Inline[] }
  | { type: "heading"; depth: number; children: Inline[] }
  | { type: "code"; language: string; text: string }
  | { type: "quote"; children: BlockNode[] }
  | { type: "list"; ordered: boolean; start: number; loose: boolean; items: ListItem[] }
  | { type: "table"; header: Cell[]; rows: Cell[][] }
  | { type: "rule" }
  /** Raw HTML and whatever could not be read: shown as it was written. */
  | { type: "raw"; text: string };
