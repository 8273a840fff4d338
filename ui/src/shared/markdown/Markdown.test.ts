import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import Markdown from "./Markdown.svelte";

function show(text: string, streaming = false) {
  const onlink = vi.fn();
  const view = render(Markdown, { text, streaming, onlink });
  const root = view.container.querySelector(".prose");
  if (!root) throw new Error("no document");
  return { ...view, root, onlink };
}

test("finished blocks keep their DOM nodes while the answer grows", async () => {
  const start = "# Title\n\nFirst *paragraph*.\n\n```js\nlet a;\n```\n\n- one\n";
  const { root, rerender } = show(start, true);
  const before = [...root.querySelectorAll("*")].filter((node) => !node.closest("ul"));
  const list = root.querySelector("ul");
  let text = start;
  for (const piece of ["- two\n", "- three\n\n", "Then ", "more text\n\n", "and **more**"]) {
    text += piece;
    await rerender({ text });
  }
  expect(before.length).toBeGreaterThan(8);
  for (const node of before) expect(root.contains(node)).toBe(true);
  expect(root.querySelector("ul")).toBe(list);
  await rerender({ streaming: false });
  for (const node of before) expect(root.contains(node)).toBe(true);
});

test("an open code block has its head from the first line on and keeps it", async () => {
  const { root, rerender } = show("```ts\n", true);
  const head = root.querySelector("figcaption");
  expect(head?.textContent).toContain("ts");
  await rerender({ text: "```ts\nconst a = 1;\nconst b = 2;\n" });
  expect(root.querySelector("pre")?.textContent).toBe("const a = 1;\nconst b = 2;");
  await rerender({ text: "```ts\nconst a = 1;\nconst b = 2;\n```\n", streaming: false });
  expect(root.querySelector("figcaption")).toBe(head);
});

test("no untrusted text becomes an element, an attribute or a handler", () => {
  const { root } = show(
    [
      "<script>window.bad = 1</script>",
      "<img src=x onerror='window.bad = 1'>",
      "a <b onclick=x>bold</b> <iframe src=https://a.example></iframe>",
      "| <svg onload=x> | [x](javascript:bad) |\n|---|---|\n| <style>*{}</style> | ![i](https://a.example/p.png) |",
      '```"><script>\ncode </pre><script>bad</script>\n```',
      "<a href=javascript:bad>x</a>",
    ].join("\n\n"),
  );
  expect(root.querySelector("script, img, iframe, b, style, svg[onload], a")).toBeNull();
  for (const node of root.querySelectorAll("*")) {
    expect([...node.attributes].filter(({ name }) => name.startsWith("on"))).toEqual([]);
  }
  expect(root.textContent).toContain("<script>window.bad = 1</script>");
});

test("links go through the callback and never navigate", async () => {
  const { onlink } = show(
    "Read [the **guide**](https://example.org/a b) or <mailto:a@example.org>, [guide](https://example.org/g)",
  );
  const link = screen.getByRole("link", { name: "guide" });
  const prevented = new Promise<boolean>((done) =>
    window.addEventListener("click", (event) => done(event.defaultPrevented), { once: true }),
  );
  await userEvent.click(link);
  expect(await prevented).toBe(true);
  expect(onlink).toHaveBeenCalledExactlyOnceWith("https://example.org/g");
});

test("code can be copied and wrapped", async () => {
  const user = userEvent.setup();
  const { root } = show("```\na\nb\n```");
  const wrap = screen.getByRole("button", { name: "Wrap lines" });
  await user.click(wrap);
  expect(wrap.getAttribute("aria-pressed")).toBe("true");
  await user.click(screen.getByRole("button", { name: "Copy code" }));
  await tick();
  expect(await navigator.clipboard.readText()).toBe("a\nb");
  expect(root.querySelector("[role=status]")?.textContent).toBe("Copied");
});

test("structure is spoken: headings, tasks, tables", () => {
  show("# H\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |");
  expect(screen.getByRole("heading", { level: 3 }).textContent).toBe("H");
  expect(screen.getAllByRole("img").map((mark) => mark.getAttribute("aria-label"))).toEqual(["Done", "Not done"]);
  expect(screen.getAllByRole("columnheader").map((cell) => cell.textContent)).toEqual(["a", "b"]);
});

test("deep nesting is shown, not a crash", () => {
  const { root } = show(
    `${"*a _b ".repeat(240)}x${" b_ a*".repeat(240)}\n\n${"> ".repeat(39)}deep\n\n${"- ".repeat(39)}deep\n\n${Array.from({ length: 120 }, (_, i) => `${"  ".repeat(i)}- level`).join("\n")}`,
  );
  expect(root.textContent).toContain("deep");
  expect(root.querySelectorAll("blockquote").length).toBe(39);
});
