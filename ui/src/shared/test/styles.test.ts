import { expect, test } from "vitest";
import { sources } from "./sources";

const rules: readonly [why: string, pattern: RegExp][] = [
  ["a literal colour", /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\(/i],
  [
    "a physical edge",
    /(?:^|[\s;{])(?:(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right|top|bottom)|left|right|top|bottom)\s*:/,
  ],
  ["a physical alignment", /(?:text-align|float|clear)\s*:\s*(?:left|right)\b/],
  ["a size of type", /font-size\s*:\s*[\d.]+(?:px|rem|pt)/],
  ["a duration", /transition[^;]*\s[1-9][\d.]*m?s\b/],
];

/** What a style sheet writes that a token or a logical property should say. */
function faults(css: string): string[] {
  const code = css.replace(/\/\*[\s\S]*?\*\//g, "");
  return rules.flatMap(([why, pattern]) => {
    const found = pattern.exec(code);
    return found ? [`${why}: ${found[0].trim()}`] : [];
  });
}

test("the rules see literals and physical properties, and leave tokens alone", () => {
  expect(
    faults("a { color: #fff; margin-left: 2px; font-size: 12px; text-align: right; transition: all 100ms }"),
  ).toEqual([
    "a literal colour: #fff",
    "a physical edge: margin-left:",
    "a physical alignment: text-align: right",
    "a size of type: font-size: 12px",
    "a duration: transition: all 100ms",
  ]);
  expect(
    faults(
      "a { color: var(--text); inset-inline-start: 0; border-block-end: 1px solid var(--line); transition: opacity var(--t-hover) }",
    ),
  ).toEqual([]);
});

test("components take colours, sizes of type and durations from tokens, and edges by their logical names", () => {
  const found = sources(".svelte", ".css").flatMap(({ path, text }) => {
    if (path === "shared/tokens.css") return [];
    const css = path.endsWith(".css") ? text : (/<style[^>]*>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "");
    return faults(css).map((fault) => `${path}: ${fault}`);
  });
  expect(found).toEqual([]);
});
