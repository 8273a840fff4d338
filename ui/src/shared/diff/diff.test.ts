import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { DiffLine, FileDiff } from "../../bindings/protocol";
import DiffBlock from "./DiffBlock.svelte";
import DiffCount from "./DiffCount.svelte";
import { changedWords } from "./words";

const line = (kind: DiffLine["kind"], number: number, text: string): DiffLine => ({ kind, number, text });
const marked = (lines: DiffLine[]) =>
  changedWords(lines).map((pieces) =>
    pieces?.map((piece) => (piece.changed ? `[${piece.text}]` : piece.text)).join(""),
  );

test("words that changed are found in lines that replace each other", () => {
  expect(
    marked([
      line("same", 1, "fn main() {"),
      line("removed", 2, "    Err(_) if job.attempt < 3 => self.queue.push(job),"),
      line("added", 2, "    Err(_) if job.attempt < 8 => self.queue.hold(job),"),
      line("added", 3, "    one more"),
    ]),
  ).toEqual([
    undefined,
    "    Err(_) if job.attempt < [3] => self.queue.[push](job),",
    "    Err(_) if job.attempt < [8] => self.queue.[hold](job),",
    undefined,
  ]);
});

test("lines with little in common are changed as a whole", () => {
  expect(marked([line("removed", 1, "let total = 0;"), line("added", 1, "return await fetch(url)")])).toEqual([
    undefined,
    undefined,
  ]);
});

test("blanks between changed words belong to the change", () => {
  expect(
    marked([
      line("removed", 1, "the quick red fox jumps over dogs"),
      line("added", 1, "the slow blue fox jumps over dogs"),
    ]),
  ).toEqual(["the [quick red] fox jumps over dogs", "the [slow blue] fox jumps over dogs"]);
});

test("a diff shows numbers, signs, skipped lines and only text", () => {
  const diff: FileDiff = {
    path: "src/a.ts",
    created: false,
    added: 1,
    removed: 1,
    truncated: true,
    hunks: [
      {
        skipped: 87,
        lines: [line("same", 88, "a"), line("removed", 89, "<b>x</b> one two"), line("added", 89, "<b>y</b> one two")],
      },
      { skipped: 1, lines: [line("same", 91, "")] },
    ],
  };
  const { container } = render(DiffBlock, { diff });
  const rows = [...container.querySelectorAll(".line, .skip")].map((row) =>
    row.textContent?.replace(/\s+/g, " ").trim(),
  );
  expect(rows).toEqual([
    "87 unchanged lines",
    "88 a",
    "89 - <b>x</b> one two",
    "89 + <b>y</b> one two",
    "1 unchanged line",
    "91",
    "Further changes are not shown here",
  ]);
  expect(container.querySelector("b")).toBeNull();
  expect([...container.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["x", "y"]);
  expect(screen.getByRole("group", { name: "Changes in src/a.ts" })).toBeTruthy();
  expect(screen.getByRole("img", { name: "removed" }).textContent).toBe("-");
});

test("counts are spoken in words", () => {
  render(DiffCount, { added: 38, removed: 1 });
  expect(screen.getByRole("img", { name: "38 lines added" }).textContent).toBe("+38");
  expect(screen.getByRole("img", { name: "1 line removed" }).textContent).toBe("−1");
});
