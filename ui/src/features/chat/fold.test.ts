import { expect, test } from "vitest";
import type { Row, ToolBody, ToolState } from "../../bindings/protocol";
import { Folder, shownState, summarise, visibleSteps, type ToolRow } from "./fold";

function step(n: number, state: ToolState = "done", turn_id = "t1", body: ToolBody = { type: "empty" }): ToolRow {
  return {
    type: "tool",
    row_id: `x${n}`,
    turn_id,
    tool: {
      call_id: `c${n}`,
      name: "n",
      verb: "read",
      target: `f${n}`,
      arguments: {},
      state,
      started_at: 1,
      duration_ms: 1000,
      note: null,
      body,
      approval: null,
    },
  };
}

function user(n: number, at: number): Row {
  return { type: "user", row_id: `u${n}`, turn_id: `t${n}`, text: "x", at, delivery: "sent" };
}

function says(n: number): Row {
  return { type: "assistant", row_id: `a${n}`, turn_id: "t1", text: "x", streaming: false, at: 1 };
}

test("consecutive calls of one turn are one group; another turn begins another", () => {
  const items = new Folder().fold([user(1, 1), step(1), step(2), says(1), step(3), step(4, "done", "t2")]);
  expect(items.map((item) => [item.kind, item.key, item.gap])).toEqual([
    ["row", "u1", "none"],
    ["group", "x1", "after_prompt"],
    ["row", "a1", "near"],
    ["group", "x3", "tight"],
    ["group", "x4", "block"],
  ]);
});

test("a new day has a divider before its first prompt", () => {
  const items = new Folder().fold([user(1, 1_700_000_000), user(2, 1_700_000_000 + 86_400)]);
  expect(items.map((item) => item.kind)).toEqual(["row", "date", "row"]);
});

test("what did not change keeps its item, so that it is not painted again", () => {
  const folder = new Folder();
  const rows = [user(1, 1), step(1), step(2), says(1)];
  const before = folder.fold(rows);
  const after = folder.fold([...rows.slice(0, 3), says(1)]);
  expect(after[0]).toBe(before[0]);
  expect(after[1]).toBe(before[1]);
  expect(after[2]).not.toBe(before[2]);
});

test("a fold that continues an older one gives what a fresh one gives", () => {
  const day = 86_400;
  const all: Row[] = [
    user(1, 1),
    step(1),
    step(2),
    says(1),
    user(2, 9 * day),
    step(3, "done", "t2"),
    says(2),
    user(3, 9 * day + 1),
    user(4, 20 * day),
    says(3),
  ];
  const folder = new Folder();
  const shape = (rows: Row[], by: Folder) =>
    by.fold(rows).map((item) => [item.kind, item.key, item.gap, item.kind === "group" ? item.rows.length : 0]);
  for (let n = 0; n <= all.length; n += 1)
    expect(shape(all.slice(0, n), folder)).toEqual(shape(all.slice(0, n), new Folder()));
  for (const at of [9, 8, 6, 5, 4, 2, 1]) {
    const changed = all.map((row, i) => (i === at ? { ...row } : row));
    expect(shape(changed, folder)).toEqual(shape(changed, new Folder()));
  }
  const older = [user(0, 0), says(0), ...all];
  expect(shape(older, folder)).toEqual(shape(older, new Folder()));
  expect(shape(all.slice(0, 3), folder)).toEqual(shape(all.slice(0, 3), new Folder()));
});

test("the line above a group counts steps, changed files and time", () => {
  const file = { path: "a.rs", created: false, added: 1, removed: 0, hunks: [], truncated: false };
  const edit: ToolBody = { type: "edit", files: [file] };
  const rows = [
    step(1),
    step(2, "done", "t1", edit),
    step(3, "done", "t1", edit),
    step(4, "failed"),
    step(5, "waiting"),
  ];
  expect(summarise(rows)).toEqual({ steps: 5, files: 1, failed: 1, waiting: 1, durationMs: 5000 });
});

const many = (n: number, state: ToolState = "done") => Array.from({ length: n }, (_, i) => step(i, state));
const shape = (parts: ReturnType<typeof visibleSteps>["parts"]) =>
  parts.map((part) => (part.kind === "steps" ? part.rows.length : `+${part.count}`));

test("a group closes with its turn, unless something failed or waits or the person opened it", () => {
  const closed = { choice: undefined, live: false, revealed: false };
  expect(visibleSteps(many(3), closed)).toEqual({ open: false, parts: [] });
  expect(visibleSteps([...many(2), step(9, "failed")], closed).open).toBe(true);
  expect(visibleSteps([...many(2), step(9, "waiting")], closed).open).toBe(true);
  expect(visibleSteps(many(3), { ...closed, choice: true }).open).toBe(true);
});

test("while a turn runs its newest steps are visible and older ones fold", () => {
  const live = { choice: undefined, live: true, revealed: false };
  expect(shape(visibleSteps(many(6), live).parts)).toEqual([6]);
  expect(shape(visibleSteps(many(20), live).parts)).toEqual(["+14", 6]);
});

test("thirty steps and more show their ends; all of them on demand", () => {
  expect(shape(visibleSteps(many(29), { choice: true, live: false, revealed: false }).parts)).toEqual([29]);
  expect(shape(visibleSteps(many(30), { choice: true, live: false, revealed: false }).parts)).toEqual([5, "+20", 5]);
  expect(shape(visibleSteps(many(30), { choice: true, live: false, revealed: true }).parts)).toEqual([30]);
});

test("a call that waits is visible even in a group that the person closed", () => {
  const rows = [...many(40), step(99, "waiting"), ...many(0)];
  expect(visibleSteps(rows, { choice: false, live: true, revealed: false }).parts).toMatchObject([
    { rows: [{ row_id: "x99" }] },
  ]);
});

test("a call that claims to run after its turn is drawn as cancelled", () => {
  expect(shownState(step(1, "running").tool, true)).toBe("running");
  expect(shownState(step(1, "running").tool, false)).toBe("cancelled");
  expect(shownState(step(1, "done").tool, false)).toBe("done");
});
