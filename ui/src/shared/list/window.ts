/** Which rows of a long list are mounted, and where they stand: plain numbers, no DOM. */

export interface RowRange {
  /** Index of the first mounted row. */
  first: number;
  /** Index after the last mounted row. */
  end: number;
}

export interface Anchor {
  key: string;
  /** From the top of that row to the top of the view. */
  offset: number;
}

export const mostMounted = 120;

/** Rows of a list with their measured or guessed heights. */
export class RowLayout<T> {
  readonly heights: Map<string, number>;
  #items: readonly T[] = [];
  #keys: string[] = [];
  #indexes = new Map<string, number>();
  /** Top of each row, and of the end. */
  #tops: number[] = [0];
  #guesses: number[] = [];

  constructor(heights: Map<string, number>) {
    this.heights = heights;
  }

  get length(): number {
    return this.#keys.length;
  }

  get total(): number {
    return this.#tops[this.#keys.length] ?? 0;
  }

  /** Takes a new list. Rows that are the same objects at its start cost nothing: a streamed answer changes the last one. */
  setItems(items: readonly T[], keyOf: (item: T) => string, estimate: (item: T) => number): void {
    const before = this.#items;
    let same = 0;
    while (same < items.length && items[same] === before[same]) same++;
    if (same === items.length && same === before.length) return;
    for (let i = same; i < this.#keys.length; i++) this.#indexes.delete(this.#keys[i] ?? "");
    this.#keys.length = same;
    this.#guesses.length = same;
    for (let i = same; i < items.length; i++) {
      const item = items[i] as T;
      const key = keyOf(item);
      this.#keys.push(key);
      this.#indexes.set(key, i);
      this.#guesses.push(this.heights.has(key) ? 0 : Math.max(1, estimate(item)));
    }
    this.#items = items;
    this.#stack(same);
  }

  /** Takes measured heights; answers whether anything moved. */
  measure(measured: Iterable<readonly [key: string, height: number]>): boolean {
    let from = Infinity;
    for (const [key, height] of measured) {
      const index = this.#indexes.get(key);
      if (index === undefined || Math.abs((this.heights.get(key) ?? -1) - height) < 0.5) continue;
      this.heights.set(key, height);
      from = Math.min(from, index);
    }
    if (from === Infinity) return false;
    this.#stack(from);
    return true;
  }

  key(index: number): string | undefined {
    return this.#keys[index];
  }

  index(key: string): number | undefined {
    return this.#indexes.get(key);
  }

  top(index: number): number {
    return this.#tops[Math.max(0, Math.min(index, this.#keys.length))] ?? 0;
  }

  /** The row at a height; the nearest one outside of the list. */
  at(y: number): number {
    let low = 0;
    let high = this.#keys.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#tops[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }

  /** Rows to mount for a view: those seen, and more around them as far as the limit allows. */
  range(top: number, view: number, around: number): RowRange {
    if (this.#keys.length === 0) return { first: 0, end: 0 };
    const firstSeen = this.at(top);
    const lastSeen = this.at(top + view);
    let first = Math.min(this.at(top - around), firstSeen);
    let end = Math.max(this.at(top + view + around), lastSeen) + 1;
    if (end - first > mostMounted) {
      const spare = Math.max(0, mostMounted - (lastSeen - firstSeen + 1));
      first = Math.max(first, firstSeen - (spare >> 1));
      end = Math.min(end, first + mostMounted);
    }
    return { first, end };
  }

  anchorAt(top: number): Anchor | null {
    const index = this.at(top);
    const key = this.#keys[index];
    return key === undefined ? null : { key, offset: top - this.top(index) };
  }

  /** Where the view must stand to show an anchor as before. */
  topOf(anchor: Anchor): number | undefined {
    const index = this.#indexes.get(anchor.key);
    return index === undefined ? undefined : this.top(index) + anchor.offset;
  }

  #stack(from: number): void {
    this.#tops.length = this.#keys.length + 1;
    let top = from === 0 ? 0 : (this.#tops[from] ?? 0);
    this.#tops[from] = top;
    for (let i = from; i < this.#keys.length; i++) {
      top += this.heights.get(this.#keys[i] ?? "") ?? this.#guesses[i] ?? 1;
      this.#tops[i + 1] = top;
    }
  }
}
