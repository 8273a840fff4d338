import { Lexer, type Links, type MarkedToken, type Token } from "marked";
import { blockNode, languageOf } from "./convert";
import type { BlockNode } from "./nodes";

/** One top-level block of a document. As long as its source stays, the object stays the same. */
export interface Block {
  readonly id: number;
  readonly source: string;
  readonly node: BlockNode;
}

interface OpenFence {
  /** Where the code begins, within the tail. */
  body: number;
  closing: RegExp;
  indent: number;
  language: string;
}

/** Beyond these a line of text is not read for emphasis and links: the time would grow with the square of its length. */
const longestInline = 65_536;
const mostDelimiters = 1_000;
/** Deeper nesting than anyone writes; the lexer recurses for each level. */
const deepest = 40;

/**
 * A Markdown document that grows at its end. Blocks that no later text can change are kept as they are; what follows them,
 * the tail, is read again on each update. It is one block, or two while the last one has only begun.
 */
export class StreamingDocument {
  blocks: readonly Block[] = [];
  /** How many characters were read so far, for tests and measurements. */
  charactersRead = 0;

  #text = "";
  #nextId = 1;
  #finished: Block[] = [];
  #tailStart = 0;
  #links: Links = Object.create(null);
  #fence: OpenFence | undefined;

  /** Sets the whole text. When it continues the present one, only its tail is read; `done` says that no more follows. */
  update(input: string, done = false): readonly Block[] {
    const text = input.includes("\r") ? input.replace(/\r\n?/g, "\n") : input;
    if (!text.startsWith(this.#text)) this.#restart();
    const grownFrom = this.#text.length;
    this.#text = text;
    if (!this.#growFence(grownFrom)) this.#readTail(done);
    return this.blocks;
  }

  #restart(): void {
    this.#text = "";
    this.#finished = [];
    this.#tailStart = 0;
    this.#links = Object.create(null);
    this.#fence = undefined;
  }

  /** Code that is still open needs no lexer: its lines only have to be searched for the closing fence. */
  #growFence(grownFrom: number): boolean {
    const fence = this.#fence;
    const last = this.blocks.at(-1);
    if (!fence || last?.node.type !== "code") return false;
    const tail = this.#text.slice(this.#tailStart);
    const from = Math.max(fence.body, tail.lastIndexOf("\n", grownFrom - this.#tailStart - 1) + 1);
    this.charactersRead += tail.length - from;
    if (fence.closing.test(tail.slice(from))) {
      this.#fence = undefined;
      return false;
    }
    const node: BlockNode = {
      type: "code",
      language: fence.language,
      text: codeText(tail.slice(fence.body), fence.indent),
    };
    this.blocks = [...this.#finished, { id: last.id, source: tail, node }];
    return true;
  }

  #readTail(done: boolean): void {
    const tail = this.#text.slice(this.#tailStart);
    const lexer = new Lexer({ gfm: true });
    lexer.tokens.links = Object.assign(Object.create(null), this.#links);
    const tokens = this.#lex(lexer, tail);
    const kept = this.blocks.slice(this.#finished.length);
    const fresh: Block[] = [];
    let offset = 0;
    let finishedTo = 0;
    let finishedBlocks = 0;
    for (const [index, token] of tokens.entries()) {
      const start = offset;
      offset += token.raw.length;
      const node = blockNode(token);
      if (node) fresh.push(this.#keep(kept[fresh.length], token.raw, node));
      if (done || settled(tail, start, offset, tokens[index + 1])) {
        finishedTo = offset;
        finishedBlocks = fresh.length;
      }
    }
    this.#finished = this.#finished.concat(fresh.slice(0, finishedBlocks));
    this.#tailStart += finishedTo;
    this.#settleLinks(lexer, tokens, finishedTo);
    this.blocks = [...this.#finished, ...fresh.slice(finishedBlocks)];
    this.#fence = done ? undefined : openFence(this.#text.slice(this.#tailStart));
  }

  #keep(old: Block | undefined, source: string, node: BlockNode): Block {
    if (old?.source === source && !source.includes("[")) return old;
    return { id: old?.id ?? this.#nextId++, source, node };
  }

  #lex(lexer: Lexer, source: string): MarkedToken[] {
    this.charactersRead += source.length;
    if (tooDeep(source)) return [rawToken(source)];
    const tokens = lexer.blockTokens(source, []) as MarkedToken[];
    for (const { src, tokens: into } of lexer.inlineQueue) readInline(lexer, src, into);
    lexer.inlineQueue = [];
    return tokens;
  }

  /** A definition that has come after its uses turns them into links. */
  #settleLinks(lexer: Lexer, tokens: readonly MarkedToken[], finishedTo: number): void {
    let offset = 0;
    const fresh: string[] = [];
    for (const token of tokens) {
      offset += token.raw.length;
      if (offset > finishedTo) break;
      const link = token.type === "def" ? lexer.tokens.links[token.tag] : undefined;
      if (token.type !== "def" || !link || token.tag in this.#links) continue;
      this.#links[token.tag] = link;
      fresh.push(`[${token.tag}]`);
    }
    if (fresh.length === 0) return;
    this.#finished = this.#finished.map((block) => {
      const source = block.source.toLowerCase().replace(/\s+/g, " ");
      if (!fresh.some((use) => source.includes(use))) return block;
      const again = new Lexer({ gfm: true });
      again.tokens.links = Object.assign(Object.create(null), this.#links);
      const [token] = this.#lex(again, block.source);
      const node = token && blockNode(token);
      return node ? { ...block, node } : block;
    });
  }
}

/**
 * Whether no later text can change the block that ends at `end`. The block after it must be sure to be one of its own: its
 * first line is complete, and a blank line or a second complete line stands between it and doubt ("a|b", "---", "1").
 */
function settled(tail: string, start: number, end: number, next: Token | undefined): boolean {
  if (!next || end === start) return false;
  const begin = next.type === "space" ? end + next.raw.length : end;
  const firstLine = tail.indexOf("\n", begin);
  if (firstLine < 0) return false;
  const blankBefore = /\n[ \t]*\n/.test(tail.slice(Math.max(start, end - 1), begin));
  return blankBefore || tail.indexOf("\n", firstLine + 1) >= 0;
}

function openFence(tail: string): OpenFence | undefined {
  const open = /^( {0,3})(`{3,}(?=[^`\n]*\n)|~{3,})([^\n]*)\n/.exec(tail);
  if (!open) return undefined;
  const [line, indent = "", marks = "", info] = open;
  const closing = new RegExp(`^ {0,3}\\${marks[0]}{${marks.length},}[ \\t]*$`, "m");
  if (closing.test(tail.slice(line.length))) return undefined;
  return { body: line.length, closing, indent: indent.length, language: languageOf(info) };
}

function codeText(body: string, indent: number): string {
  const text = indent > 0 ? body.replace(new RegExp(`^ {1,${indent}}`, "gm"), "") : body;
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

function readInline(lexer: Lexer, source: string, into: Token[]): void {
  if (source.length > longestInline || (source.match(/[*_~]+/g)?.length ?? 0) > mostDelimiters) {
    into.push({ type: "text", raw: source, text: source });
  } else {
    lexer.inlineTokens(source, into);
  }
}

function tooDeep(source: string): boolean {
  const markers = new RegExp(`^(?:[ \\t]*(?:>|[-+*](?=[ \\t])|\\d{1,9}[.)](?=[ \\t]))){${deepest}}`, "m");
  return markers.test(source) || new RegExp(`^[ \\t]{${deepest * 8}}[-+*\\d]`, "m").test(source);
}

function rawToken(raw: string): MarkedToken {
  return { type: "html", raw, text: raw, block: true, inLink: false, inRawBlock: false };
}
