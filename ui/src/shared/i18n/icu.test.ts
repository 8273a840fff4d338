import { expect, test } from "vitest";
import { argumentNames, formatMessage, MessageSyntaxError, parseMessage, type Values } from "./icu";

function format(message: string, values: Values = {}, locale = "en"): string {
  return formatMessage(parseMessage(message), values, locale, (name) => {
    throw new Error(`missing ${name}`);
  });
}

test("plural picks exact numbers first, then the rule of the language", () => {
  const message = "{n, plural, =0 {no steps} one {# step} other {# steps}}";
  expect([0, 1, 2, 1200].map((n) => format(message, { n }))).toEqual(["no steps", "1 step", "2 steps", "1,200 steps"]);
  const russian = "{n, plural, one {# файл} few {# файла} many {# файлов} other {# файла}}";
  expect([1, 3, 5, 21].map((n) => format(russian, { n }, "ru"))).toEqual(["1 файл", "3 файла", "5 файлов", "21 файл"]);
});

test("select nests in plural and keeps the number", () => {
  const message = "{n, plural, other {{kind, select, file {# files} other {# things}}}}";
  expect(format(message, { n: 3, kind: "file" })).toBe("3 files");
  expect(format(message, { n: 3, kind: "x" })).toBe("3 things");
});

test("apostrophes quote braces and otherwise stand for themselves", () => {
  expect(format("it's {name}''s '{plain}' #", { name: "a" })).toBe("it's a's {plain} #");
});

test("values are never read as messages", () => {
  expect(format("{a}", { a: "{b, plural, other {#}} <b>" })).toBe("{b, plural, other {#}} <b>");
});

test("a wrong message fails when it is parsed", () => {
  for (const bad of ["{", "{a", "}", "{a, plural, one {#}}", "{a, date, short}", "{a, select, other {}"]) {
    expect(() => parseMessage(bad), bad).toThrow(MessageSyntaxError);
  }
});

test("arguments are found at any depth", () => {
  expect([...argumentNames(parseMessage("{a} {n, plural, one {{b}} other {{c}}}"))].sort()).toEqual([
    "a",
    "b",
    "c",
    "n",
  ]);
});
