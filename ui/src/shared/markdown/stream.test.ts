import { describe, expect, test } from "vitest";
import type { BlockNode, Inline } from "./nodes";
import { parseMarkdown } from "./parse";
import { StreamingDocument } from "./stream";

const nodesOf = (text: string): BlockNode[] => parseMarkdown(text).map((block) => block.node);

function words(nodes: readonly Inline[]): string {
  return nodes.map((n) => ("children" in n ? words(n.children) : "text" in n ? n.text : "\n")).join("");
}

const sample = [
  "# Title with *emphasis*\n\nA paragraph\nover two lines.\n\n",
  "- one\n- two\n\n  still two\n\n- [ ] task\n- [x] done\n\n",
  "1. first\n2. second\n   - nested\n\n",
  "```rust\nfn main() {\n    // ``` not the end\n}\n```\n\n",
  "| a | b |\n|---|--:|\n| `x` | 2 |\n\nAfter the table\n",
  "> quoted\nlazy line\n\n---\n\n",
  "text\n#hash is no heading\n# heading\nmore text\n***\nend\n",
  "    indented code\n\n    more\n\npara\n===\n\n~~~~\ncode\n~~~\n~~~~\n",
  "<div>\nraw\n</div>\n\nLast *words* with [a link](https://example.org) &amp; more.",
].join("");

describe("growing documents", () => {
  // A fixed generator: the same cuts in each run.
  function* cuts(length: number, seed: number): Generator<number> {
    let state = seed;
    for (let at = 0; at < length;) {
      state = (state * 1103515245 + 12345) % 2147483648;
      at = Math.min(length, at + 1 + (state % 9));
      yield at;
    }
  }

  test("text that came in pieces reads the same as text that came at once", () => {
    const whole = nodesOf(sample);
    for (let seed = 1; seed <= 40; seed++) {
      const document = new StreamingDocument();
      for (const at of cuts(sample.length, seed)) document.update(sample.slice(0, at));
      expect(
        document.update(sample, true).map((block) => block.node),
        `seed ${seed}`,
      ).toEqual(whole);
    }
  });

  test("each state on the way reads as that text alone would", () => {
    const document = new StreamingDocument();
    for (let at = 1; at <= sample.length; at++) {
      const text = sample.slice(0, at);
      expect(
        document.update(text).map((block) => block.node),
        JSON.stringify(text.slice(-40)),
      ).toEqual(nodesOf(text));
    }
  });

  test("finished blocks stay the same objects and are never read again", () => {
    const paragraph = "Some words of an answer, long enough to count.\n\n";
    const document = new StreamingDocument();
    let text = "";
    for (let i = 0; i < 200; i++) document.update((text += paragraph));
    const before = document.blocks.slice(0, -2);
    const read = document.charactersRead;
    for (const letter of "and one more sentence") document.update((text += letter));
    expect(document.blocks.slice(0, before.length).every((block, i) => block === before[i])).toBe(true);
    expect(document.charactersRead - read).toBeLessThan(21 * (2 * paragraph.length + 21));
    expect(document.blocks).toHaveLength(201);
  });

  test("an open fence is not read again for each of its lines", () => {
    const document = new StreamingDocument();
    let text = "```ts\n";
    document.update(text);
    const read = document.charactersRead;
    for (let i = 0; i < 2_000; i++) document.update((text += `const line${i} = ${i};\n`));
    expect(document.charactersRead - read).toBeLessThan(3 * text.length);
    const [block] = document.blocks;
    expect(block?.node).toMatchObject({ type: "code", language: "ts" });
    document.update((text += "```\n\nafter\n\n"));
    expect(document.update(text, true).map((b) => b.node)).toEqual(nodesOf(text));
    expect(document.blocks[0]?.id).toBe(block?.id);
  });

  test("a definition at the end makes links of what used it before", () => {
    const document = new StreamingDocument();
    const start = "See [the guide] and [it][the guide].\n\nNo use here.\n\n";
    document.update(start);
    document.update(`${start}More.\n\n`);
    const untouched = document.blocks[1];
    const blocks = document.update(`${start}More.\n\n[The Guide]: https://example.org/g\n`, true);
    const link = { type: "link", href: "https://example.org/g" };
    expect(blocks[0]?.node).toMatchObject({
      children: [{ text: "See " }, link, { text: " and " }, link, { text: "." }],
    });
    expect(blocks[1]).toBe(untouched);
  });

  test("another text starts over", () => {
    const document = new StreamingDocument();
    document.update("# One\n\ntwo\n\nthree");
    expect(document.update("Other", true).map((b) => b.node)).toEqual(nodesOf("Other"));
  });
});

describe("what is understood", () => {
  test("lists keep their start, tasks and looseness", () => {
    expect(nodesOf("3. a\n4. b")[0]).toMatchObject({ ordered: true, start: 3, loose: false });
    expect(nodesOf("0. a")[0]).toMatchObject({ start: 0 });
    expect(nodesOf("- [x] a\n- b")[0]).toMatchObject({ items: [{ checked: true }, { checked: null }] });
    expect(nodesOf("- a\n\n- b")[0]).toMatchObject({ loose: true });
  });

  test("tables keep their alignment", () => {
    expect(nodesOf("a|b|c\n:-|:-:|-:\n1|2|3")[0]).toMatchObject({
      header: [{ align: "start" }, { align: "center" }, { align: "end" }],
      rows: [[{ align: "start" }, { align: "center" }, { align: "end" }]],
    });
  });

  test("character references are decoded in text and targets but not in code", () => {
    const [node] = nodesOf(
      "&lt;b&gt; &#65; &#x42; &#0; &nosuch; `&amp;` [x](https://e.org/?a&amp;b) https://e.org/?a&amp=1",
    );
    expect(node).toEqual({
      type: "paragraph",
      children: [
        { type: "text", text: "<b> A B \ufffd &nosuch; " },
        { type: "code", text: "&amp;" },
        { type: "text", text: " " },
        { type: "link", href: "https://e.org/?a&b", children: [{ type: "text", text: "x" }] },
        { type: "text", text: " " },
        { type: "link", href: "https://e.org/?a&amp=1", children: [{ type: "text", text: "https://e.org/?a&amp=1" }] },
      ],
    });
  });

  test("a line break in a table cell is a break, any other tag is text", () => {
    expect(nodesOf("a|b\n-|-\nx<br>y|<i>z</i>")[0]).toMatchObject({
      rows: [[{ children: [{ text: "x" }, { type: "break" }, { text: "y" }] }, { children: [{ text: "<i>z</i>" }] }]],
    });
  });

  test("line ends of all systems are the same", () => {
    expect(nodesOf("a\r\n\r\n- b\r\n- c\r")).toEqual(nodesOf("a\n\n- b\n- c\n"));
  });
});

describe("hostile text", () => {
  test.each([
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#x73;cript:alert(1))",
    "[x](java&Tab;script:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](tauri://localhost/)",
    "[x](//evil.example/)",
    "[x](/etc/passwd)",
    "<javascript:alert(1)>",
    "[x][y]\n\n[y]: javascript:alert(1)",
  ])("%s is text, not a link", (source) => {
    expect(JSON.stringify(nodesOf(source))).not.toContain('"link"');
  });

  test.each(["https://a.example/x", "http://a.example", "mailto:a@a.example"])("%s may be opened", (url) => {
    expect(nodesOf(`[x](${url})`)[0]).toMatchObject({ children: [{ type: "link", children: [{ text: "x" }] }] });
  });

  test("raw HTML stays what was written", () => {
    expect(nodesOf("<script>alert(1)</script>")).toEqual([{ type: "raw", text: "<script>alert(1)</script>" }]);
    const [node] = nodesOf('a <img src=x onerror="alert(1)"> b');
    expect(node?.type === "paragraph" && words(node.children)).toBe('a <img src=x onerror="alert(1)"> b');
  });

  test.each<[string, string]>([
    ["quotes", `${">".repeat(50_000)}x`],
    ["lists", `${"- ".repeat(20_000)}x`],
    ["indented lists", Array.from({ length: 1_000 }, (_, i) => `${"  ".repeat(i)}- x`).join("\n")],
    ["brackets", "[".repeat(50_000)],
    ["links", "[a](".repeat(20_000)],
    ["images", "![".repeat(20_000)],
    ["emphasis", "*a".repeat(50_000)],
    ["underscores", "a_".repeat(50_000)],
    ["strikes", "~a".repeat(50_000)],
    ["tags", "<a ".repeat(20_000)],
    ["comments", "<!--".repeat(20_000)],
    ["ticks", "`a``".repeat(20_000)],
    ["references", "&#".repeat(50_000)],
    ["table columns", `${"|".repeat(20_000)}\n${"|-".repeat(20_000)}`],
    ["one long line", "word ".repeat(400_000)],
    ["open fence", `\`\`\`\n${"line\n".repeat(200_000)}`],
    ["headings", "# a\n".repeat(40_000)],
    ["addresses", "a@".repeat(20_000)],
  ])("%s without end take no long time", (_, source) => {
    const start = performance.now();
    expect(nodesOf(source).length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(1_500);
  });
});
