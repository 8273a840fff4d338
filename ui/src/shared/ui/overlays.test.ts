import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { createRawSnippet, tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import Dialog from "./Dialog.svelte";
import ToastStack from "./ToastStack.svelte";
import { Toasts, toasts } from "./toasts.svelte";
import TooltipHost from "./TooltipHost.svelte";
import { tooltip, tooltips } from "./tooltip.svelte";

const html = (markup: string) => createRawSnippet(() => ({ render: () => markup }));

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  for (const toast of toasts.shown) toasts.dismiss(toast.id);
  tooltips.dismiss();
  vi.useRealTimers();
});

test("at most two toasts stand, and each goes in its time", () => {
  const stack = new Toasts();
  stack.show({ text: "a" });
  stack.show({ text: "b" });
  stack.show({ text: "c", undo: true });
  expect(stack.shown.map((toast) => toast.text)).toEqual(["b", "c"]);
  vi.advanceTimersByTime(6_100);
  expect(stack.shown.map((toast) => toast.text)).toEqual(["c"]);
  vi.advanceTimersByTime(4_000);
  expect(stack.shown).toEqual([]);
});

test("a toast under the pointer stays and goes on from where it was", () => {
  const stack = new Toasts();
  stack.show({ text: "a" });
  vi.advanceTimersByTime(4_000);
  stack.hold();
  vi.advanceTimersByTime(60_000);
  expect(stack.shown).toHaveLength(1);
  stack.release();
  vi.advanceTimersByTime(1_500);
  expect(stack.shown).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  expect(stack.shown).toEqual([]);
});

test("a toast is announced politely and its action runs once", async () => {
  const run = vi.fn();
  render(ToastStack);
  const live = screen.getByRole("status");
  toasts.show({ text: "Chat deleted", undo: true, action: { label: "Undo", run } });
  await tick();
  expect(live.textContent).toContain("Chat deleted");
  await userEvent.setup({ advanceTimers: vi.advanceTimersByTime }).click(screen.getByRole("button", { name: "Undo" }));
  expect(run).toHaveBeenCalledOnce();
  expect(live.textContent?.trim()).toBe("");
});

test("a dialog has a name, starts on its first field, and Escape is cancel", async () => {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  const onclose = vi.fn();
  const opener = document.createElement("button");
  document.body.append(opener);
  opener.focus();
  render(Dialog, {
    open: true,
    title: "Rename chat",
    onclose,
    children: html("<input>"),
    footer: html("<button>Rename chat</button>"),
  });
  expect(screen.getByRole("dialog", { name: "Rename chat" })).toBeTruthy();
  expect(document.activeElement?.tagName).toBe("INPUT");
  await user.keyboard("{Escape}");
  expect(onclose).toHaveBeenCalledOnce();
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(opener);
  opener.remove();
});

test("a dangerous dialog starts on cancel", () => {
  render(Dialog, {
    open: true,
    dangerous: true,
    title: "Delete chat",
    children: html("<input>"),
    footer: html("<div><button data-cancel>Keep chat</button><button>Delete chat</button></div>"),
  });
  expect(document.activeElement?.textContent).toBe("Keep chat");
});

test("a tooltip comes after a rest, the next one at once, and a press takes it away", async () => {
  const { container } = render(TooltipHost);
  const targets = ["One", "Two"].map((text) => {
    const node = document.createElement("button");
    document.body.append(node);
    return { node, remove: tooltip({ text })(node) };
  });
  const shown = () => container.querySelector(".tip")?.textContent?.trim();
  const point = (index: number, type: string) => targets[index]?.node.dispatchEvent(new PointerEvent(type));
  point(0, "pointerenter");
  vi.advanceTimersByTime(400);
  await tick();
  expect(shown()).toBeUndefined();
  vi.advanceTimersByTime(200);
  await tick();
  expect(shown()).toBe("One");
  point(0, "pointerleave");
  point(1, "pointerenter");
  await tick();
  expect(shown()).toBe("Two");
  point(1, "pointerdown");
  await tick();
  expect(shown()).toBeUndefined();
  for (const { node, remove } of targets) {
    remove?.();
    node.remove();
  }
});
