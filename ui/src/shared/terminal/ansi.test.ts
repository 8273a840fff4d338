import { render, screen as page } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { AnsiScreen, stripAnsi } from "./ansi";
import TerminalBlock from "./TerminalBlock.svelte";
import { visibleText } from "./visible";

function linesOf(text: string): string[][] {
  const screen = new AnsiScreen();
  screen.write(text);
  return screen.lines.map((line) => line.map(({ text: words, style }) => (style ? `${style}:${words}` : words)));
}

test.each<[string, string[][]]>([
  ["plain\ntext\n", [["plain"], ["text"]]],
  ["\x1b[31mred\x1b[0m plain", [["fg-red:red", " plain"]]],
  ["\x1b[1;4;92mx\x1b[22my\x1b[24;39mz", [["fg-green bold underline:x", "fg-green underline:y", "z"]]],
  ["\x1b[7mi\x1b[27m\x1b[2md\x1b[m.", [["inverse:i", "dim:d", "."]]],
  ["\x1b[38;5;9ma\x1b[38;5;46mb\x1b[48;5;21mc", [["fg-red:a", "fg-green:b", "fg-green bg-blue:c"]]],
  ["\x1b[38;2;250;180;10ma\x1b[38:2::0:180:200mb\x1b[38;2;240;240;240mc", [["fg-yellow:a", "fg-cyan:b", "c"]]],
  ["\x1b[38;5;244mgrey\x1b[38;2;1;2;3mdark", [["fg-white:grey", "fg-black:dark"]]],
  ["\x1b[38;5mx\x1b[38my\x1b[999mz", [["xyz"]]],
  ["\x1b[>4;2mx\x1b[?25ly", [["xy"]]],
])("%j", (text, lines) => {
  expect(linesOf(text)).toEqual(lines);
});

test("carriage return, backspace and erase write over what was there", () => {
  expect(stripAnsi("10 %\r 20 %\r100 %\nnext")).toBe("100 %\nnext");
  expect(stripAnsi("abc\rX")).toBe("Xbc");
  expect(stripAnsi("abc\b\bX")).toBe("aXc");
  expect(stripAnsi("long line\r\x1b[Kshort")).toBe("short");
  expect(stripAnsi("long\x1b[2K\rnew")).toBe("new");
  expect(stripAnsi("dos\r\nline\r\n")).toBe("dos\nline\n");
  expect(stripAnsi("a😀b\r\x1b[31mXY")).toBe("XYb");
});

test.each([
  "\x1b]0;title\x07", "\x1b]8;;https://a.example\x1b\\", "\x1bPq#0\x1b\\", "\x1b[2J", "\x1b[10;10H", "\x1b(B", "\x1b=", "\x1b7",
  "\x9b31m", "\x9d0;t\x9c", "\x1b_x\x1b\\", "\x00\x07\x0b\x0c\x0e\x7f\x85", "\x1b[?1049h", "\x1b", "\x1b[", "\x1b[12;", "\x1b]0;open",
])("%j never reaches the page", (control) => {
  const { container } = render(TerminalBlock, { text: `a${control}` });
  expect(container.querySelector(".line")?.textContent).toBe("a");
}); // prettier-ignore

test("a sequence cut between two pieces is still one", () => {
  const whole = "x\x1b[1;31mred\x1b[0m \x1b]0;t\x07\x1b[38;5;46mgreen\x1b[0m\r\nz";
  for (let at = 0; at <= whole.length; at++) {
    const screen = new AnsiScreen();
    screen.write(whole.slice(0, at));
    screen.write(whole.slice(at));
    const text = screen.lines.map((line) => line.map((span) => `${span.style}|${span.text}`));
    // A break between the two characters of a Windows line end moves to the start of the line first: the same picture.
    expect(text, String(at)).toEqual([["|x", "fg-red bold|red", "| ", "fg-green|green"], ["|z"]]);
  }
});

test("endless sequences and lines take no long time", () => {
  const start = performance.now();
  for (const text of [
    "\x1b]0;".repeat(50_000),
    "\x1b[".repeat(200_000),
    "x\r".repeat(100_000),
    "\x1b[31mx".repeat(100_000),
    `\x1b]${"a".repeat(1_000_000)}`,
  ]) {
    stripAnsi(text);
  }
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("a block shows the end of the output and counts the rest", async () => {
  const onshowall = vi.fn();
  const text = Array.from({ length: 41 }, (_, i) => `line ${i + 1}\n`).join("");
  const { container, rerender } = render(TerminalBlock, { text, limit: 3, onshowall });
  const lines = () => [...container.querySelectorAll(".line")].map((line) => line.textContent);
  expect(lines()).toEqual(["line 39", "line 40", "line 41"]);
  expect(container.textContent).toContain("Last 3 of 41 lines");
  await userEvent.click(page.getByRole("button", { name: "Show all" }));
  expect(onshowall).toHaveBeenCalledOnce();
  const kept = container.querySelectorAll(".line")[2];
  await rerender({ text: `${text}more` });
  expect(lines()).toEqual(["line 40", "line 41", "more"]);
  expect(container.querySelectorAll(".line")[1]).toBe(kept);
  await rerender({ limit: 1000 });
  expect(lines()).toHaveLength(42);
});

test("text and markup in output stay text", () => {
  const { container } = render(TerminalBlock, { text: "<img src=x onerror=y> \x1b[31m<b>bold</b>" });
  expect(container.querySelector("img, b")).toBeNull();
  expect(container.querySelector(".fg-red")?.textContent).toBe("<b>bold</b>");
});

test("what hides in a command is shown", () => {
  expect(visibleText("rm \u202e x\u200b\x1b[2K\ty\n")).toBe("rm \\u{202e} x\\u{200b}\\u{1b}[2K\ty\n");
});
