import { expect, test } from "vitest";
import { mostMounted, RowLayout } from "./window";

interface Item {
  id: string;
  height: number;
}

const make = (from: number, to: number, height = 20): Item[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: `r${from + i}`, height }));
const keyOf = (item: Item) => item.id;
const estimate = (item: Item) => item.height;

function layoutOf(items: Item[]) {
  const layout = new RowLayout<Item>(new Map());
  layout.setItems(items, keyOf, estimate);
  return layout;
}

test("rows stand by their guesses until they are measured", () => {
  const layout = layoutOf(make(0, 100));
  expect([layout.total, layout.top(10), layout.at(205), layout.at(-5), layout.at(1e9)]).toEqual([2000, 200, 10, 0, 99]);
  expect(
    layout.measure([
      ["r5", 120],
      ["r7", 20.2],
      ["gone", 5],
    ]),
  ).toBe(true);
  expect([layout.total, layout.top(5), layout.top(6), layout.at(219), layout.at(220)]).toEqual([
    2100.2, 100, 220, 5, 6,
  ]);
  expect(layout.measure([["r5", 120.3]])).toBe(false);
});

test("heights are kept for rows that come back", () => {
  const layout = layoutOf(make(0, 10));
  layout.measure([["r3", 500]]);
  layout.setItems(make(5, 10), keyOf, estimate);
  layout.setItems(make(0, 10), keyOf, estimate);
  expect(layout.top(4)).toBe(560);
});

test("an anchor holds its row when others come before it", () => {
  const items = make(100, 200);
  const layout = layoutOf(items);
  const anchor = layout.anchorAt(507);
  expect(anchor).toEqual({ key: "r125", offset: 7 });
  layout.setItems([...make(60, 100, 33), ...items], keyOf, estimate);
  expect(anchor && layout.topOf(anchor)).toBe(40 * 33 + 507);
  expect(layout.topOf({ key: "gone", offset: 0 })).toBeUndefined();
});

test("a changed last row asks for no other row again", () => {
  const items = make(0, 10_000);
  const layout = layoutOf(items);
  let asked = 0;
  layout.setItems([...items.slice(0, -1), { id: "r9999", height: 90 }, { id: "new", height: 10 }], keyOf, (item) => {
    asked++;
    return item.height;
  });
  expect([asked, layout.total, layout.index("new")]).toEqual([2, 9_999 * 20 + 100, 10_000]);
});

test.each([
  [0, 700],
  [100_000, 700],
  [199_300, 700],
  [5_000, 1_600],
  [500_000, 700],
  [-300, 700],
])("a view at %i mounts what is seen and never more than the limit", (top, view) => {
  const layout = layoutOf(make(0, 10_000));
  const { first, end } = layout.range(top, view, 800);
  expect(end - first).toBeLessThanOrEqual(mostMounted);
  expect(first).toBeLessThanOrEqual(layout.at(top));
  expect(end).toBeGreaterThan(layout.at(top + view));
});

test("an empty list has nothing to mount", () => {
  expect(layoutOf([]).range(0, 800, 800)).toEqual({ first: 0, end: 0 });
  expect(layoutOf([]).anchorAt(0)).toBeNull();
});
