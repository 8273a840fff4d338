import type { DiffLine } from "../../bindings/protocol";

/** A piece of a line; `changed` ones are drawn stronger. */
export interface Piece {
  text: string;
  changed: boolean;
}

const longest = 400;

/** Words that differ between lines that replace each other; `undefined` for a line that is changed as a whole or not at all. */
export function changedWords(lines: readonly DiffLine[]): (Piece[] | undefined)[] {
  const pieces: (Piece[] | undefined)[] = lines.map(() => undefined);
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed, "added");
    for (let i = 0; i < Math.min(removed, added); i++) {
      const pair = comparePair(lines[at + i]?.text ?? "", lines[at + removed + i]?.text ?? "");
      pieces[at + i] = pair?.[0];
      pieces[at + removed + i] = pair?.[1];
    }
    at += Math.max(1, removed + added);
  }
  return pieces;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine["kind"]): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length++;
  return length;
}

function comparePair(before: string, after: string): [Piece[], Piece[]] | undefined {
  const a = wordsOf(before);
  const b = wordsOf(after);
  if (a.length > longest || b.length > longest) return undefined;
  const [keptA, keptB] = common(a, b);
  const weight = (words: string[], kept: boolean[]) =>
    words.reduce((sum, word, i) => sum + (kept[i] && word.trim() ? word.length : 0), 0);
  const all = Math.max(
    weight(
      a,
      a.map(() => true),
    ),
    weight(
      b,
      b.map(() => true),
    ),
  );
  // Lines with little in common were not edited but replaced: marks would be noise.
  if (weight(a, keptA) < all * 0.2) return undefined;
  return [piecesOf(a, keptA), piecesOf(b, keptB)];
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Which words of each side belong to the longest common subsequence. */
function common(a: readonly string[], b: readonly string[]): [boolean[], boolean[]] {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const keptA = a.map(() => false);
  const keptB = b.map(() => false);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) keptA[i++] = keptB[j++] = true;
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return [keptA, keptB];
}

function piecesOf(words: readonly string[], kept: readonly boolean[]): Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string, changed: boolean) => {
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  };
  words.forEach((word, i) => add(word, !kept[i]));
  const drawn = pieces.splice(0);
  drawn.forEach(({ text, changed }, i) => {
    // A blank or a sign between two changes belongs to them: single islands make a line unreadable.
    const island = i > 0 && i < drawn.length - 1 && text.length <= 2 && !/[\p{L}\p{N}_]/u.test(text);
    add(text, changed || island);
  });
  return pieces;
}
