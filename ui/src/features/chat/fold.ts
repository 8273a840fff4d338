import type { Row, ToolState, ToolView, TurnId } from "../../bindings/protocol";

export type ToolRow = Extract<Row, { type: "tool" }>;
export type PlainRow = Exclude<Row, { type: "tool" }>;

/** What the transcript paints: a row, the consecutive calls of one turn, or a change of day. `gap` is the space above. */
export type Item =
  | { kind: "row"; key: string; gap: Gap; row: PlainRow }
  | { kind: "group"; key: string; gap: Gap; turnId: TurnId; rows: ToolRow[] }
  | { kind: "date"; key: string; gap: Gap; at: number };

export type Gap = "none" | "tight" | "near" | "block" | "after_prompt" | "prompt";

type Class = "prompt" | "group" | "notice" | "block" | "date";

/** Where the fold stood before an item: the row it begins with, what came before, and the day of the last prompt. */
interface Stop {
  row: number;
  before: Class | null;
  day: Day | null;
}

/** Remembers items, so that a row that did not change keeps its item, and only what follows a change is folded anew. */
export class Folder {
  #rows = new WeakMap<PlainRow, Item>();
  #groups = new WeakMap<ToolRow, Extract<Item, { kind: "group" }>>();
  #last: { rows: readonly Row[]; items: Item[]; stops: Stop[] } = { rows: [], items: [], stops: [] };

  fold(rows: readonly Row[]): Item[] {
    const kept = this.#unchanged(rows);
    const items = this.#last.items.slice(0, kept);
    const stops = this.#last.stops.slice(0, kept);
    let { row: i, before, day } = this.#last.stops[kept] ?? { row: 0, before: null, day: null };
    while (i < rows.length) {
      const row = rows[i];
      if (row === undefined) break;
      const stop: Stop = { row: i, before, day };
      if (row.type === "tool") {
        const end = endOfGroup(rows, i, row.turn_id);
        items.push(this.#group(rows, i, end, gapBetween(before, "group")));
        stops.push(stop);
        before = "group";
        i = end;
        continue;
      }
      if (row.type === "user" && (day === null || row.at < day.from || row.at >= day.to)) {
        if (day !== null) {
          items.push({ kind: "date", key: `date-${row.row_id}`, gap: "prompt", at: row.at });
          stops.push(stop);
          before = "date";
        }
        day = dayOf(row.at);
      }
      const self = classOf(row);
      items.push(this.#row(row, gapBetween(before, self)));
      stops.push(stop);
      before = self;
      i += 1;
    }
    this.#last = { rows, items, stops };
    return items;
  }

  /** How many items stay: those that end before the first changed row, but for the last one, which may have grown. */
  #unchanged(rows: readonly Row[]): number {
    const old = this.#last;
    const most = Math.min(rows.length, old.rows.length);
    let same = 0;
    while (same < most && rows[same] === old.rows[same]) same += 1;
    let kept = old.stops.length;
    while (kept > 0 && (old.stops[kept - 1]?.row ?? 0) >= same) kept -= 1;
    kept = Math.max(0, kept - 1);
    // A divider and its prompt begin with the same row and are folded together.
    while (kept > 0 && old.items[kept - 1]?.kind === "date") kept -= 1;
    return kept;
  }

  #row(row: PlainRow, gap: Gap): Item {
    const known = this.#rows.get(row);
    if (known?.gap === gap) return known;
    const item: Item = { kind: "row", key: row.row_id, gap, row };
    this.#rows.set(row, item);
    return item;
  }

  #group(rows: readonly Row[], start: number, end: number, gap: Gap): Item {
    const members: ToolRow[] = [];
    for (let i = start; i < end; i += 1) {
      const row = rows[i];
      if (row?.type === "tool") members.push(row);
    }
    const first = members[0];
    if (first === undefined) throw new RangeError("a group has at least one call");
    const known = this.#groups.get(first);
    if (known && known.gap === gap && sameRows(known.rows, members)) return known;
    const item = { kind: "group" as const, key: first.row_id, gap, turnId: first.turn_id, rows: members };
    this.#groups.set(first, item);
    return item;
  }
}

interface Day {
  from: number;
  to: number;
}

/** The calendar day of a time, as the span it covers. */
function dayOf(at: number): Day {
  const date = new Date(at * 1000);
  const day = (offset: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() + offset).getTime() / 1000;
  return { from: day(0), to: day(1) };
}

function endOfGroup(rows: readonly Row[], start: number, turnId: TurnId): number {
  let end = start;
  while (end < rows.length) {
    const row = rows[end];
    if (row?.type !== "tool" || row.turn_id !== turnId) break;
    end += 1;
  }
  return end;
}

function sameRows(a: readonly ToolRow[], b: readonly ToolRow[]): boolean {
  return a.length === b.length && a.every((row, i) => row === b[i]);
}

function classOf(row: PlainRow): Class {
  if (row.type === "user") return "prompt";
  return row.type === "notice" || row.type === "error" ? "notice" : "block";
}

function gapBetween(before: Class | null, self: Class): Gap {
  if (before === null) return "none";
  if (self === "prompt") return "prompt";
  if (before === "prompt") return "after_prompt";
  if (before === "date") return "prompt";
  if (self === "group") return before === "group" ? "block" : "tight";
  if (before === "group" || self === "notice" || before === "notice") return "near";
  return "block";
}

export interface GroupSummary {
  steps: number;
  files: number;
  failed: number;
  waiting: number;
  durationMs: number;
}

/** The one line above a group. */
export function summarise(rows: readonly ToolRow[]): GroupSummary {
  const files = new Set<string>();
  let failed = 0;
  let waiting = 0;
  let durationMs = 0;
  for (const { tool } of rows) {
    if (tool.state === "failed") failed += 1;
    if (tool.state === "waiting") waiting += 1;
    durationMs += tool.duration_ms ?? 0;
    if (tool.body.type === "edit" && tool.state === "done") for (const file of tool.body.files) files.add(file.path);
  }
  return { steps: rows.length, files: files.size, failed, waiting, durationMs };
}

export const FOLD_FROM = 30;
export const FOLD_ENDS = 5;
export const RUNNING_TAIL = 6;

/** Which steps of a group are visible: all, or the ends with a number folded between. */
export type StepView = { kind: "steps"; rows: readonly ToolRow[] } | { kind: "more"; count: number; from: number };

/** How much of a group is seen. `choice` is the person's; without one it follows the turn. */
export function visibleSteps(
  rows: readonly ToolRow[],
  opts: { choice: boolean | undefined; live: boolean; revealed: boolean },
): { open: boolean; parts: StepView[] } {
  const must = rows.filter(({ tool }) => tool.state === "waiting");
  const failed = rows.some(({ tool }) => tool.state === "failed");
  const open = opts.choice ?? (opts.live || failed || must.length > 0);
  if (!open) return { open, parts: must.length > 0 ? [{ kind: "steps", rows: must }] : [] };
  if (opts.revealed) return { open, parts: [{ kind: "steps", rows }] };
  if (opts.choice === undefined && opts.live && rows.length > RUNNING_TAIL) {
    return { open, parts: split(rows, 0, RUNNING_TAIL) };
  }
  if (rows.length >= FOLD_FROM) return { open, parts: split(rows, FOLD_ENDS, FOLD_ENDS) };
  return { open, parts: [{ kind: "steps", rows }] };
}

/** Keeps `head` and `tail` rows and every one that waits; what lies between is counted. */
function split(rows: readonly ToolRow[], head: number, tail: number): StepView[] {
  const parts: StepView[] = [];
  let run: ToolRow[] = [];
  let hidden = 0;
  const flushRun = () => {
    if (run.length > 0) parts.push({ kind: "steps", rows: run });
    run = [];
  };
  rows.forEach((row, i) => {
    if (i < head || i >= rows.length - tail || row.tool.state === "waiting") {
      if (hidden > 0) {
        flushRun();
        parts.push({ kind: "more", count: hidden, from: i - hidden });
        hidden = 0;
      }
      run.push(row);
    } else {
      hidden += 1;
    }
  });
  flushRun();
  return parts;
}

/** A call that still claims to run although its turn is over was cut off; it is drawn as cancelled. */
export function shownState(tool: ToolView, live: boolean): ToolState {
  const open =
    tool.state === "generating" || tool.state === "queued" || tool.state === "running" || tool.state === "waiting";
  return open && !live ? "cancelled" : tool.state;
}
