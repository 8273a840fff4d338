import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { createRawSnippet } from "svelte";
import { beforeEach, expect, test, vi } from "vitest";
import type { MenuItem } from "./Menu.svelte";
import MenuButton from "./MenuButton.svelte";

const chosen = vi.fn();
const action = (label: string, more: object = {}): MenuItem => ({
  id: label,
  label,
  onselect: () => chosen(label),
  ...more,
});

function show(items: MenuItem[]) {
  render(MenuButton, {
    items,
    label: "Chat actions",
    children: createRawSnippet(() => ({ render: () => "<span>Actions</span>" })),
  });
  return screen.getByRole("button", { name: "Actions" });
}

const focused = () => document.activeElement?.getAttribute("data-row");

beforeEach(() => chosen.mockReset());

test("a menu opened by key has its first row focused, walks by arrows and chooses by Enter", async () => {
  const user = userEvent.setup();
  const button = show([action("Copy"), action("Rename"), "separator", action("Delete", { danger: true })]);
  button.focus();
  await user.keyboard("{ArrowDown}");
  expect(screen.getByRole("menu", { name: "Chat actions" })).toBeTruthy();
  expect(focused()).toBe("Copy");
  await user.keyboard("{ArrowUp}");
  expect(focused()).toBe("Delete");
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(focused()).toBe("Rename");
  await user.keyboard("{Home}");
  expect(focused()).toBe("Copy");
  await user.keyboard("{End}{Enter}");
  expect(chosen).toHaveBeenCalledExactlyOnceWith("Delete");
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
});

test("typing finds a row; the same letter again finds the next", async () => {
  const user = userEvent.setup();
  const button = show([action("Copy"), action("Rename"), action("Restore"), action("Review")]);
  await user.click(button);
  await user.keyboard("r");
  expect(focused()).toBe("Rename");
  await user.keyboard("r");
  expect(focused()).toBe("Restore");
  await user.keyboard("{Escape}");
  await user.click(button);
  await user.keyboard("rev");
  expect(focused()).toBe("Review");
});

test("Escape closes the menu only, and gives the focus back", async () => {
  const user = userEvent.setup();
  const outer = vi.fn();
  document.addEventListener("keydown", outer);
  const button = show([action("Copy")]);
  await user.click(button);
  await user.keyboard("{Escape}");
  document.removeEventListener("keydown", outer);
  expect(outer).not.toHaveBeenCalled();
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
  expect(button.getAttribute("aria-expanded")).toBe("false");
});

test("a press outside or on the button closes it", async () => {
  const user = userEvent.setup();
  const button = show([action("Copy")]);
  await user.click(button);
  await user.click(document.body);
  expect(screen.queryByRole("menu")).toBeNull();
  await user.click(button);
  expect(screen.getByRole("menu")).toBeTruthy();
  await user.click(button);
  expect(screen.queryByRole("menu")).toBeNull();
  await user.click(button);
  expect(screen.getByRole("menu")).toBeTruthy();
});

test("a row that is off can be read but not chosen; the chosen one is marked and focused first", async () => {
  const user = userEvent.setup();
  const button = show([
    action("Ask", { checked: false }),
    action("Auto", { checked: true }),
    action("Plan", { disabled: true }),
  ]);
  await user.click(button);
  expect(focused()).toBe("Auto");
  expect(screen.getByRole("menuitemradio", { name: "Auto", checked: true })).toBeTruthy();
  await user.click(screen.getByRole("menuitem", { name: "Plan" }));
  expect(chosen).not.toHaveBeenCalled();
  expect(screen.getByRole("menu")).toBeTruthy();
});
