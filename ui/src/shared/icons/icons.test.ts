import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import Icon from "./Icon.svelte";

test("an icon is hidden from assistive technology and keeps its stroke at 1.5 px", () => {
  const { container } = render(Icon, { name: "file", size: 12 });
  const svg = container.querySelector("svg");
  expect(svg?.getAttribute("aria-hidden")).toBe("true");
  expect(svg?.getAttribute("stroke-width")).toBe("3");
  expect(container.querySelector("path")?.getAttribute("d")).toMatch(/^M/);
});
