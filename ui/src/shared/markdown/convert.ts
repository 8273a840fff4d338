import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./entities";
import { safeHref } from "./links";
import type { Alignment, BlockNode, Cell, Inline, ListItem } from "./nodes";

/** Deeper nodes are shown as they were written: each level costs the view a few frames of the stack. */
const deepestBlock = 40;
const deepestInline = 20;

function blockNodes(tokens: readonly Token[], depth: number): BlockNode[] {
  const nodes: BlockNode[] = [];
  for (const token of tokens as readonly MarkedToken[]) {
    const node = blockNode(token, depth);
    if (node) nodes.push(node);
  }
  return nodes;
}

/** Turns one block of the lexer into a node; there is none for what is not shown. */
export function blockNode(token: MarkedToken, depth = 0): BlockNode | undefined {
  if (depth > deepestBlock) return token.type === "space" ? undefined : { type: "raw", text: token.raw.trimEnd() };
  switch (token.type) {
    case "paragraph":
      return { type: "paragraph", children: inlines(token.tokens) };
    case "text":
      return { type: "paragraph", children: token.tokens ? inlines(token.tokens) : [textNode(token.text)] };
    case "heading":
      return { type: "heading", depth: token.depth, children: inlines(token.tokens) };
    case "code":
      return { type: "code", language: languageOf(token.lang), text: token.text };
    case "blockquote":
      return { type: "quote", children: blockNodes(token.tokens, depth + 1) };
    case "list":
      return {
        type: "list",
        ordered: token.ordered,
        start: token.start === "" ? 1 : token.start,
        loose: token.loose,
        items: token.items.map((item) => listItem(item, depth + 1)),
      };
    case "table":
      return { type: "table", header: token.header.map(cell), rows: token.rows.map((row) => row.map(cell)) };
    case "hr":
      return { type: "rule" };
    case "html":
      return { type: "raw", text: token.text.trimEnd() };
    case "space":
    case "def":
    case "checkbox":
      return undefined;
    default:
      return { type: "raw", text: token.raw };
  }
}

/** First word of a fence's info string. */
export function languageOf(info: string | undefined): string {
  return decodeEntities(/^\S*/.exec(info?.trim() ?? "")?.[0] ?? "");
}

function listItem(item: Tokens.ListItem, depth: number): ListItem {
  return { checked: item.task ? (item.checked ?? false) : null, children: blockNodes(item.tokens, depth) };
}

const alignments: Readonly<Record<string, Alignment>> = { left: "start", center: "center", right: "end" };

function cell({ align, tokens }: Tokens.TableCell): Cell {
  return { align: (align && alignments[align]) || "start", children: inlines(tokens) };
}

function textNode(text: string): Inline {
  return { type: "text", text: decodeEntities(text) };
}

function inlines(tokens: readonly Token[], depth = 0): Inline[] {
  const nodes: Inline[] = [];
  const addText = (text: string) => {
    const last = nodes.at(-1);
    if (last?.type === "text") last.text += text;
    else nodes.push({ type: "text", text });
  };
  for (const token of tokens as readonly MarkedToken[]) {
    if (depth > deepestInline && "tokens" in token) {
      addText(token.raw);
      continue;
    }
    switch (token.type) {
      case "text":
        if (token.tokens) nodes.push(...inlines(token.tokens, depth));
        else addText(decodeEntities(token.text));
        break;
      case "escape":
        addText(token.text);
        break;
      case "strong":
        nodes.push({ type: "strong", children: inlines(token.tokens, depth + 1) });
        break;
      case "em":
        nodes.push({ type: "emphasis", children: inlines(token.tokens, depth + 1) });
        break;
      case "del":
        nodes.push({ type: "deleted", children: inlines(token.tokens, depth + 1) });
        break;
      case "codespan":
        nodes.push({ type: "code", text: token.text });
        break;
      case "br":
        nodes.push({ type: "break" });
        break;
      case "html":
        // Models write <br> inside table cells, where Markdown has no line break.
        if (/^<br\s*\/?>$/i.test(token.text)) nodes.push({ type: "break" });
        else addText(token.text);
        break;
      case "link":
        nodes.push(...link(token, depth));
        break;
      case "image":
        nodes.push({ type: "image", text: decodeEntities(token.text) });
        break;
      case "checkbox":
        break;
      default:
        addText(token.raw);
    }
  }
  return nodes;
}

/** A link that may not be opened is the text it was. */
function link(token: Tokens.Link, depth: number): Inline[] {
  const literal = token.autolink === true;
  const children: Inline[] = literal ? [{ type: "text", text: token.text }] : inlines(token.tokens, depth + 1);
  const href = safeHref(literal ? token.href : decodeEntities(token.href));
  return href === undefined ? children : [{ type: "link", href, children }];
}
