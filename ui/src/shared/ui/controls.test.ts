import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { createRawSnippet, tick } from "svelte";
import { expect, test, vi } from "vitest";
import Button from "./Button.svelte";
import IconButton from "./IconButton.svelte";
import Segmented from "./Segmented.svelte";
import Skeleton from "./Skeleton.svelte";
import StateMark, { type MarkState } from "./StateMark.svelte";

const words = (text: string) => createRawSnippet(() => ({ render: () => `<span>${text}</span>` }));

test("a shortcut is announced but is no part of the button's name", () => {
  render(Button, { children: words("Allow once"), shortcut: ["mod", "enter"] });
  const button = screen.getByRole("button", { name: "Allow once" });
  expect(button.getAttribute("aria-keyshortcuts")).toBe("Control+Enter");
  expect(button.textContent).toContain("Ctrl↵");
});

test("a busy button keeps its name and focus and ignores presses", async () => {
  const onclick = vi.fn();
  const { rerender } = render(Button, { children: words("Test"), onclick });
  const button = screen.getByRole("button", { name: "Test" });
  button.focus();
  await rerender({ busy: true });
  await userEvent.click(button);
  expect(onclick).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(button);
  expect(button.getAttribute("aria-busy")).toBe("true");
  await rerender({ busy: false });
  await userEvent.click(button);
  expect(onclick).toHaveBeenCalledOnce();
});

test("a button that is off for a reason stays reachable and says why", async () => {
  const onclick = vi.fn();
  render(Button, { children: words("Send"), why: "No model is chosen", onclick });
  await userEvent.tab();
  const button = screen.getByRole("button", { name: "Send", description: "No model is chosen" });
  expect(document.activeElement).toBe(button);
  await userEvent.keyboard("{Enter}");
  expect(onclick).not.toHaveBeenCalled();
});

test("an icon button has a name, and a state when it is a toggle", async () => {
  const { rerender } = render(IconButton, { icon: "panel-right", label: "Right dock", on: false });
  const button = screen.getByRole("button", { name: "Right dock" });
  expect(button.getAttribute("aria-pressed")).toBe("false");
  await rerender({ on: true });
  expect(button.getAttribute("aria-pressed")).toBe("true");
});

test.each<[MarkState, string]>([
  ["queued", "Queued"],
  ["running", "Running"],
  ["needs-you", "Needs you"],
  ["done", "Done"],
  ["failed", "Failed"],
  ["cancelled", "Cancelled"],
  ["unread", "Unread"],
])("the mark %s says %s and differs by shape", (state, name) => {
  const { container } = render(StateMark, { state });
  expect(screen.getByRole("img", { name })).toBeTruthy();
  expect(container.querySelector("svg, .dot")).not.toBeNull();
});

test("only running work turns, and not while nobody can see it", async () => {
  const visibility = vi.spyOn(document, "visibilityState", "get").mockReturnValue("visible");
  const { container, rerender } = render(StateMark, { state: "running" });
  expect(container.querySelector(".turning")).not.toBeNull();
  visibility.mockReturnValue("hidden");
  document.dispatchEvent(new Event("visibilitychange"));
  await tick();
  expect(container.querySelector(".spinner")).not.toBeNull();
  expect(container.querySelector(".turning")).toBeNull();
  visibility.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await tick();
  expect(container.querySelector(".turning")).not.toBeNull();
  await rerender({ state: "done" });
  expect(container.querySelector(".turning")).toBeNull();
});

test("segments are chosen by arrow keys, and one of them is in the tab order", async () => {
  const onchange = vi.fn();
  render(Segmented, {
    label: "Diff form",
    value: "unified",
    onchange,
    options: [
      { id: "unified", label: "Unified" },
      { id: "split", label: "Split" },
    ],
  });
  await userEvent.tab();
  expect(document.activeElement).toBe(screen.getByRole("radio", { name: "Unified" }));
  await userEvent.keyboard("{ArrowRight}");
  expect(onchange).toHaveBeenCalledExactlyOnceWith("split");
  expect(screen.getByRole("radio", { name: "Split", checked: true })).toBe(document.activeElement);
});

test("a skeleton says that something loads", () => {
  render(Skeleton, { rows: 6, shape: "session" });
  expect(screen.getByRole("status", { name: "Loading" }).children).toHaveLength(6);
});
