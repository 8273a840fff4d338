/** Reads terminal output: colours become style names, everything else that controls a terminal is gone. */

export interface Span {
  text: string;
  /** Class names, empty for plain text. All come from a fixed set. */
  style: string;
}

export type Line = readonly Span[];

export const ansiColours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;
type Colour = (typeof ansiColours)[number];

interface Pen {
  fg: Colour | undefined;
  bg: Colour | undefined;
  bold: boolean;
  dim: boolean;
  underline: boolean;
  strike: boolean;
  inverse: boolean;
}

const plainPen: Pen = {
  fg: undefined,
  bg: undefined,
  bold: false,
  dim: false,
  underline: false,
  strike: false,
  inverse: false,
};

/** A sequence that was read: where it ends, and what a CSI sequence says. */
interface Sequence {
  end: number;
  final?: string;
  parameters?: string;
}

/** A cursor is not sent further than this. */
const widest = 10_000;
const longestParameters = 256;

/** Reads the control sequence at `at`; answers what to keep when its end has not come yet. */
function readSequence(text: string, at: number): Sequence | { keep: string } {
  const first = text.charCodeAt(at);
  if (first === 0x9b) return readControl(text, at, at + 1);
  if (isStringStart(first)) return readString(text, at, at + 1);
  if (first !== 0x1b) return { end: at + 1 };
  const second = text[at + 1];
  if (second === undefined) return { keep: text.slice(at) };
  if (second === "[") return readControl(text, at, at + 2);
  if ("]PX^_".includes(second)) return readString(text, at, at + 2);
  let end = at + 1;
  while (within(text, end, 0x20, 0x2f)) end++;
  if (end >= text.length && end - at < longestParameters) return { keep: text.slice(at) };
  return { end: within(text, end, 0x30, 0x7e) ? end + 1 : end };
}

function readControl(text: string, at: number, from: number): Sequence | { keep: string } {
  let end = from;
  while (within(text, end, 0x20, 0x3f)) end++;
  if (end >= text.length) return end - at < longestParameters ? { keep: text.slice(at) } : { end };
  if (!within(text, end, 0x40, 0x7e)) return { end };
  return { end: end + 1, final: text.charAt(end), parameters: text.slice(from, end) };
}

/** Titles, links, images: all of it goes. What such a string holds need not be kept to find its end. */
function readString(text: string, at: number, from: number): Sequence | { keep: string } {
  for (let end = from; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x07 || code === 0x9c) return { end: end + 1 };
    if (code !== 0x1b) continue;
    if (end + 1 >= text.length) return { keep: `${text.slice(at, from)}\x1b` };
    return { end: text[end + 1] === "\\" ? end + 2 : end };
  }
  return { keep: text.slice(at, from) };
}

function isStringStart(code: number): boolean {
  return code === 0x90 || code === 0x98 || (code >= 0x9d && code <= 0x9f);
}

function within(text: string, at: number, low: number, high: number): boolean {
  const code = text.charCodeAt(at);
  return code >= low && code <= high;
}

const special = /[\x00-\x08\x0a-\x1f\x7f-\x9f]/g;

/** The lines that a terminal would show, as far as a transcript needs them: it takes output in pieces. */
export class AnsiScreen {
  readonly #done: Line[] = [];
  #pen: Pen = plainPen;
  #style = "";
  #runs: { text: string; style: string }[] = [];
  /** Cells of the present line, once something was written over; until then runs are enough. */
  #cells: { char: string; style: string }[] | undefined;
  #column = 0;
  #rest = "";

  /** All lines so far; a line break at the end opens no further line. */
  get lines(): readonly Line[] {
    const last = this.#spans();
    return last.length > 0 ? [...this.#done, last] : this.#done;
  }

  get lineCount(): number {
    return this.#done.length + (this.#runs.length > 0 || (this.#cells?.length ?? 0) > 0 ? 1 : 0);
  }

  /** Lines `from` to the end, without a copy of those before. */
  linesFrom(from: number): readonly Line[] {
    const tail = this.#done.slice(from);
    const last = this.#spans();
    if (last.length > 0) tail.push(last);
    return tail;
  }

  write(chunk: string): void {
    const text = this.#rest + chunk;
    this.#rest = "";
    let at = 0;
    while (at < text.length) {
      special.lastIndex = at;
      const next = special.exec(text)?.index ?? text.length;
      if (next > at) this.#put(text.slice(at, next));
      if (next >= text.length) return;
      at = this.#control(text, next);
    }
  }

  #control(text: string, at: number): number {
    switch (text[at]) {
      case "\n":
        this.#newLine();
        return at + 1;
      case "\r":
        // A line break of Windows is no return to the start of the line.
        if (text[at + 1] === "\n") {
          this.#newLine();
          return at + 2;
        }
        this.#moveTo(0);
        return at + 1;
      case "\b":
        this.#back();
        return at + 1;
    }
    const read = readSequence(text, at);
    if ("keep" in read) {
      this.#rest = read.keep;
      return text.length;
    }
    const { parameters = "" } = read;
    if (read.final === "m") this.#select(parameters);
    else if (read.final === "K") this.#erase(firstNumber(parameters, 0));
    else if (read.final === "G") this.#moveTo(Math.min(firstNumber(parameters, 1), widest) - 1);
    return read.end;
  }

  #put(text: string): void {
    if (this.#cells === undefined) {
      const last = this.#runs.at(-1);
      if (last?.style === this.#style) last.text += text;
      else this.#runs.push({ text, style: this.#style });
      return;
    }
    for (const char of text) {
      while (this.#cells.length < this.#column) this.#cells.push({ char: " ", style: "" });
      this.#cells[this.#column++] = { char, style: this.#style };
    }
  }

  /** From here on the line is kept by cells, and the cursor stands where it stood. */
  #asCells(): { char: string; style: string }[] {
    if (this.#cells === undefined) {
      this.#cells = this.#runs.flatMap(({ text, style }) => Array.from(text, (char) => ({ char, style })));
      this.#runs = [];
      this.#column = this.#cells.length;
    }
    return this.#cells;
  }

  #moveTo(column: number): void {
    this.#asCells();
    this.#column = Math.max(0, column);
  }

  #back(): void {
    this.#asCells();
    this.#column = Math.max(0, this.#column - 1);
  }

  #erase(mode: number): void {
    const cells = this.#asCells();
    if (mode === 0) cells.length = Math.min(cells.length, this.#column);
    else if (mode === 1) cells.fill({ char: " ", style: "" }, 0, Math.min(this.#column + 1, cells.length));
    else if (mode === 2) cells.length = 0;
  }

  #newLine(): void {
    this.#done.push(this.#spans());
    this.#runs = [];
    this.#cells = undefined;
    this.#column = 0;
  }

  #spans(): Line {
    if (this.#cells === undefined) return this.#runs.map((run) => ({ ...run }));
    const spans: Span[] = [];
    for (const { char, style } of this.#cells) {
      const last = spans.at(-1);
      if (last?.style === style) last.text += char;
      else spans.push({ text: char, style });
    }
    return spans;
  }

  #select(parameters: string): void {
    if (/[<=>?]/.test(parameters)) return;
    const codes = parameters.split(";");
    const pen = { ...this.#pen };
    for (let i = 0; i < codes.length; i++) {
      const [code = 0, ...sub] = (codes[i] ?? "").split(":").map((part) => Number(part || 0));
      if (code === 38 || code === 48) {
        const numbers = sub.length > 0 ? sub : codes.slice(i + 1, i + 5).map(Number);
        const [form, index] = numbers;
        const target = code === 38 ? "fg" : "bg";
        if (form === 5 && index !== undefined) pen[target] = indexed(index);
        else if (form === 2) pen[target] = trueColour(sub.length > 0 ? sub.slice(-3) : numbers.slice(1));
        if (sub.length === 0) i += form === 5 ? 2 : form === 2 ? 4 : 0;
      } else if (code === 0) Object.assign(pen, plainPen);
      else if (code === 1) pen.bold = true;
      else if (code === 2) pen.dim = true;
      else if (code === 4) pen.underline = sub[0] !== 0;
      else if (code === 7) pen.inverse = true;
      else if (code === 9) pen.strike = true;
      else if (code === 21) pen.underline = true;
      else if (code === 22) pen.bold = pen.dim = false;
      else if (code === 24) pen.underline = false;
      else if (code === 27) pen.inverse = false;
      else if (code === 29) pen.strike = false;
      else if (code === 39) pen.fg = undefined;
      else if (code === 49) pen.bg = undefined;
      else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) pen.fg = ansiColours[code % 10];
      else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) pen.bg = ansiColours[code % 10];
    }
    this.#pen = pen;
    this.#style = styleOf(pen);
  }
}

function firstNumber(parameters: string, absent: number): number {
  const number = Number.parseInt(parameters, 10);
  return Number.isNaN(number) ? absent : number;
}

function styleOf(pen: Pen): string {
  const names: string[] = [];
  if (pen.fg) names.push(`fg-${pen.fg}`);
  if (pen.bg) names.push(`bg-${pen.bg}`);
  for (const name of ["bold", "dim", "underline", "strike", "inverse"] as const) if (pen[name]) names.push(name);
  return names.join(" ");
}

function indexed(index: number): Colour | undefined {
  if (index < 16) return ansiColours[index % 8];
  if (index >= 232) return trueColour(Array<number>(3).fill(8 + (index - 232) * 10));
  const cube = index - 16;
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  return trueColour([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

/** The nearest colour of the theme, by hue: a colour from outside would be unreadable on one of the four grounds. */
function trueColour([r = 0, g = 0, b = 0]: readonly number[]): Colour | undefined {
  if (![r, g, b].every((part) => part >= 0 && part <= 255)) return undefined;
  const most = Math.max(r, g, b);
  const spread = most - Math.min(r, g, b);
  // Greys: the light ones are plain text on a dark ground, so they must stay text on any.
  if (spread < 40 || spread < most * 0.2) return most < 60 ? "black" : most < 200 ? "white" : undefined;
  const hue = most === r ? ((g - b) / spread + 6) % 6 : most === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  const sectors = ["red", "yellow", "green", "cyan", "blue", "magenta"] as const;
  return sectors[Math.round(hue) % 6];
}

/** The text that a terminal would show in the end, without colours. */
export function stripAnsi(text: string): string {
  if (text.search(special) < 0) return text;
  const screen = new AnsiScreen();
  screen.write(text);
  const lines = screen.lines.map((line) => line.map((span) => span.text).join(""));
  return lines.join("\n") + (text.endsWith("\n") ? "\n" : "");
}
