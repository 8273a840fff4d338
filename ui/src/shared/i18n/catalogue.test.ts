import { parse } from "svelte/compiler";
import { afterEach, expect, test } from "vitest";
import { sources } from "../test/sources";
import { setLocale, t, translate } from ".";
import { catalogueFaults, english, flatten, pseudo } from "./catalogue";
import { formatMessage, parseMessage } from "./icu";

afterEach(() => setLocale("en"));

test("every message of the catalogue parses", () => {
  for (const [key, message] of english) expect(() => parseMessage(message), key).not.toThrow();
});

test("every key that the sources name is in the catalogue", () => {
  const missing: string[] = [];
  for (const { path, text } of sources(".svelte", ".ts")) {
    if (path.endsWith(".test.ts")) continue;
    for (const [, key] of text.matchAll(/\bt\(\s*["'`]([\w.]+)["'`]/g)) {
      if (key && !english.has(key)) missing.push(`${path}: ${key}`);
    }
  }
  expect(missing).toEqual([]);
});

test("a translation that lacks a key, has one too many or other arguments is found", () => {
  const base = flatten({ a: { one: "{n} files", two: "x" } });
  expect(catalogueFaults(base, flatten({ a: { one: "{n} Dateien", two: "y" } }))).toEqual([]);
  expect(catalogueFaults(base, flatten({ a: { one: "{m} Dateien" }, b: "z" }))).toEqual([
    "a.one has the arguments (m), not (n)",
    "a.two is missing",
    "b is not in the base catalogue",
  ]);
});

test("a value that is not given is an error here, so that no screen ships a bare name", () => {
  expect(() => t("format.seconds")).toThrow(/format.seconds.*"n"/);
});

test("a key from the wire falls back to the sentence that came with it", () => {
  expect(translate("no.such.key", {}, "the disk is full")).toBe("the disk is full");
  expect(translate("format.seconds", { n: 3 }, "x")).toBe("3 s");
});

test("the pseudo language lengthens text and keeps arguments and plurals", () => {
  setLocale("pseudo");
  expect(t("toast.undo")).toBe("[Üñdö··]");
  expect(t("terminal.tail", { shown: 3, total: 41 })).toMatch(/^\[Łášţ 3 öf 41 łíñéš·+\]$/);
  const parts = pseudo(parseMessage("{n, plural, one {# step} other {# steps}}"));
  expect(formatMessage(parts, { n: 2 }, "en", () => {})).toMatch(/2 šţépš/);
});

/** Attributes and properties whose literal text a person would read or hear. */
const spoken = /^(aria-(label|description|roledescription|valuetext)|alt|label|note|placeholder|text|title|why)$/;

function hardCoded(source: string): string[] {
  const found: string[] = [];
  const readable = (text: string) => /\p{L}/u.test(text);
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null || !("type" in node)) return;
    if (node.type === "StyleDirective") return;
    if (node.type === "Text" && "data" in node && readable(String(node.data))) found.push(String(node.data).trim());
    if (node.type === "Attribute" && "name" in node && "value" in node) {
      if (!spoken.test(String(node.name))) {
        // An attribute may hold a snippet or handler with markup, never text to read.
        const parts = Array.isArray(node.value) ? node.value : [node.value];
        return parts.filter((part: { type?: string }) => part?.type !== "Text").forEach(visit);
      }
      const parts = Array.isArray(node.value) ? node.value : [node.value];
      for (const part of parts) {
        if (part?.type === "Text" && readable(part.data)) found.push(`${node.name}="${part.data}"`);
        const literal = part?.expression;
        if (literal?.type === "Literal" && typeof literal.value === "string" && readable(literal.value)) {
          found.push(`${node.name}={"${literal.value}"}`);
        }
      }
      return;
    }
    for (const [key, value] of Object.entries(node)) if (key !== "parent") visit(value);
  };
  visit(parse(source, { modern: true }).fragment);
  return found;
}

test("the search for hard-coded text sees text, attributes and strings in braces", () => {
  expect(
    hardCoded(`<p class="row">Hello</p><b title="Now" data-x="quiet">1</b><i aria-label={"Shut"}>{t("x")}</i>`),
  ).toEqual(["Hello", 'title="Now"', 'aria-label={"Shut"}']);
});

test("no component holds text of its own", () => {
  const found = sources(".svelte").flatMap(({ path, text }) => hardCoded(text).map((words) => `${path}: ${words}`));
  expect(found).toEqual([]);
});
