import { expect, test } from "vitest";
import { place } from "./place";

const view = { width: 1000, height: 800 };
const size = { width: 200, height: 300 };
const box = (left: number, top: number, width = 100, height = 28) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

test("a float goes below its anchor, on the wished edge", () => {
  expect(place(box(100, 100), size, view, "bottom-start", 4)).toEqual({ x: 100, y: 132 });
  expect(place(box(500, 100), size, view, "bottom-end", 4)).toEqual({ x: 400, y: 132 });
  expect(place(box(500, 100), size, view, "bottom", 4)).toEqual({ x: 450, y: 132 });
});

test("from right to left the edges change sides", () => {
  expect(place(box(500, 100), size, view, "bottom-start", 4, true)).toEqual({ x: 400, y: 132 });
});

test("where there is no room it goes to the other side, and never outside", () => {
  expect(place(box(100, 700), size, view, "bottom-start", 4)).toEqual({ x: 100, y: 396 });
  expect(place(box(100, 10), size, view, "top-start", 4)).toEqual({ x: 100, y: 42 });
  expect(place(box(950, 100), size, view, "bottom-start", 4).x).toBe(792);
  expect(place(box(100, 300), { width: 200, height: 790 }, view, "bottom-start", 4).y).toBe(8);
});
