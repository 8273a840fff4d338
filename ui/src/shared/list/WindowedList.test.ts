import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { beforeEach, expect, test, vi } from "vitest";
import Harness from "../test/ListHarness.svelte";
import { newListMemory } from "./WindowedList.svelte";

const make = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: `r${from + i}`, text: `row ${from + i}` }));
const rows = () => screen.queryAllByRole("article").map((row) => row.dataset["key"]);
const feed = () => screen.getByRole("feed");

/** The test DOM has no layout: rows are 40 px by estimate, the view is 800 px. */
function layoutOf(node: HTMLElement, height: number) {
  let top = 0;
  Object.defineProperties(node, {
    clientHeight: { configurable: true, get: () => 800 },
    scrollHeight: { configurable: true, get: () => height },
    scrollTop: {
      configurable: true,
      get: () => top,
      set: (to: number) => (top = Math.max(0, Math.min(to, height - 800))),
    },
  });
  return (to: number) => {
    node.scrollTop = to;
    node.dispatchEvent(new Event("scroll"));
  };
}

beforeEach(() => vi.unstubAllGlobals());

test("a long list mounts its end, few rows, and says how long it is", async () => {
  render(Harness, { items: make(0, 10_000), offset: 500 });
  await tick();
  expect(rows().length).toBeLessThanOrEqual(120);
  expect(rows().at(-1)).toBe("r9999");
  const last = screen.getAllByRole("article").at(-1);
  expect([last?.getAttribute("aria-posinset"), last?.getAttribute("aria-setsize")]).toEqual(["10500", "10500"]);
});

test("a short list mounts all rows", () => {
  render(Harness, { items: make(0, 12) });
  expect(rows()).toHaveLength(12);
});

test("scrolling up by any amount stops following; the way back counts what is new", async () => {
  const items = make(0, 1_000);
  const { rerender } = render(Harness, { items });
  const scroll = layoutOf(feed(), 40_000);
  scroll(39_200);
  expect(screen.queryByRole("button")).toBeNull();
  scroll(39_195);
  await tick();
  await rerender({ items: [...items, ...make(1_000, 1_003)] });
  const jump = screen.getByRole("button", { name: /Jump to latest/ });
  expect(jump.textContent).toContain("3 new");
  expect(feed().scrollTop).toBe(39_195);
  await userEvent.click(jump);
  await tick();
  expect(screen.queryByRole("button")).toBeNull();
  expect(rows().at(-1)).toBe("r1002");
});

test("coming back within 48 px of the end follows again", async () => {
  render(Harness, { items: make(0, 1_000) });
  const scroll = layoutOf(feed(), 40_000);
  scroll(39_200);
  scroll(30_000);
  await tick();
  expect(screen.getByRole("button", { name: /Jump/ })).toBeTruthy();
  expect(rows()).toContain("r760");
  expect(rows()).not.toContain("r999");
  scroll(39_150);
  await tick();
  expect(screen.getByRole("button", { name: /Jump/ })).toBeTruthy();
  scroll(39_160);
  await tick();
  expect(screen.queryByRole("button")).toBeNull();
});

test("rows that come in before the first one leave the view where it was", async () => {
  const items = make(1_000, 2_000);
  const onolder = vi.fn();
  const { rerender } = render(Harness, { items, onolder });
  const scroll = layoutOf(feed(), 80_000);
  scroll(39_200);
  onolder.mockClear();
  scroll(410);
  await tick();
  expect(onolder).toHaveBeenCalledOnce();
  scroll(400);
  await tick();
  expect(onolder).toHaveBeenCalledOnce();
  const kept = screen.getAllByRole("article").find((row) => row.dataset["key"] === "r1010");
  await rerender({ items: [...make(0, 1_000), ...items] });
  expect(feed().scrollTop).toBe(40_400);
  expect(kept?.isConnected).toBe(true);
});

test("a streamed row keeps its element", async () => {
  const items = make(0, 200);
  const { rerender } = render(Harness, { items });
  const element = screen.getAllByRole("article").at(-1);
  await rerender({ items: [...items.slice(0, -1), { id: "r199", text: "longer" }] });
  expect(screen.getAllByRole("article").at(-1)).toBe(element);
  expect(element?.textContent).toContain("longer");
});

test("a row that is not mounted can be shown and focused", async () => {
  const { component } = render(Harness, { items: make(0, 1_000) });
  layoutOf(feed(), 40_000);
  expect(await component.show("r100", { focus: true })).toBe(true);
  expect(rows()).toContain("r100");
  expect(document.activeElement?.getAttribute("data-key")).toBe("r100");
  expect(await component.show("gone")).toBe(false);
  await userEvent.keyboard("{PageDown}");
  expect(document.activeElement?.getAttribute("data-key")).toBe("r101");
});

test("a list shows again where its reader stood", async () => {
  const memory = newListMemory();
  const first = render(Harness, { items: make(0, 1_000), memory });
  const scroll = layoutOf(feed(), 40_000);
  scroll(39_200);
  scroll(20_010);
  first.unmount();
  expect(memory.anchor).toEqual({ key: "r500", offset: 10 });
  render(Harness, { items: make(0, 1_000), memory });
  await tick();
  expect(rows()).toContain("r500");
  expect(rows()).not.toContain("r999");
});
