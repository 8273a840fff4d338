import type { Row, TurnId } from "../../bindings/protocol";

/** Characters of output that a running card keeps; the core has the whole. */
export const OUTPUT_TAIL = 64 * 1024;

/** Text that came for a row since the last paint. */
export type Pending = { kind: "assistant" | "reasoning" | "output"; turnId: TurnId; text: string };

/** The row with the text appended; a new row when there is none; nothing when the text has no place. */
export function grow(old: Row | undefined, rowId: string, add: Pending, now: number): Row | null {
  if (add.kind === "output") return old?.type === "tool" ? withOutput(old, add.text) : null;
  if (old === undefined) {
    const base = { row_id: rowId, turn_id: add.turnId, text: add.text, streaming: true, at: now };
    return add.kind === "assistant"
      ? { type: "assistant", ...base }
      : { type: "reasoning", ...base, duration_ms: null };
  }
  if (old.type !== "assistant" && old.type !== "reasoning") return null;
  return { ...old, text: old.text + add.text, streaming: true };
}

function withOutput(row: Extract<Row, { type: "tool" }>, text: string): Row {
  const { tool } = row;
  if (tool.body.type !== "terminal" && tool.body.type !== "empty") return row;
  const body =
    tool.body.type === "terminal"
      ? tool.body
      : {
          type: "terminal" as const,
          command: tool.target,
          cwd: "",
          exit_code: null,
          output: "",
          total_lines: 0,
          truncated: false,
        };
  const all = body.output + text;
  // Cut rarely and by half: a card that is cut with every line would be parsed anew with every line.
  const cut = all.length > 2 * OUTPUT_TAIL;
  return {
    ...row,
    tool: {
      ...tool,
      body: {
        ...body,
        output: cut ? all.slice(all.indexOf("\n", all.length - OUTPUT_TAIL) + 1 || all.length - OUTPUT_TAIL) : all,
        total_lines: body.total_lines + newlines(text),
        truncated: body.truncated || cut,
      },
    },
  };
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
