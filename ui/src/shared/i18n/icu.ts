/** The part of ICU MessageFormat that the catalogue uses: arguments, plural, selectordinal and select, with nesting. */

export type Values = Readonly<Record<string, string | number>>;

export type Part =
  | { kind: "text"; text: string }
  | { kind: "count" }
  | { kind: "argument"; name: string }
  | { kind: "plural"; name: string; ordinal: boolean; options: ReadonlyMap<string, readonly Part[]> }
  | { kind: "select"; name: string; options: ReadonlyMap<string, readonly Part[]> };

export class MessageSyntaxError extends Error {
  constructor(message: string, source: string, at: number) {
    super(`${message} at ${at} in "${source}"`);
    this.name = "MessageSyntaxError";
  }
}

class Reader {
  private at = 0;
  constructor(private readonly source: string) {}

  message(inPlural: boolean, nested: boolean): Part[] {
    const parts: Part[] = [];
    let text = "";
    const flush = () => {
      if (text) parts.push({ kind: "text", text });
      text = "";
    };
    for (;;) {
      const char = this.source[this.at];
      if (char === undefined) {
        if (nested) this.fail("missing }");
        break;
      }
      if (char === "}") {
        if (!nested) this.fail("unexpected }");
        break;
      }
      if (char === "'") {
        text += this.quoted();
      } else if (char === "{") {
        flush();
        parts.push(this.placeholder(inPlural));
      } else if (char === "#" && inPlural) {
        flush();
        this.at++;
        parts.push({ kind: "count" });
      } else {
        text += char;
        this.at++;
      }
    }
    flush();
    return parts;
  }

  /** `''` is an apostrophe, `'{...'` quotes; any other apostrophe stands for itself. */
  private quoted(): string {
    const next = this.source[this.at + 1];
    if (next === "'") {
      this.at += 2;
      return "'";
    }
    if (next !== "{" && next !== "}" && next !== "#") {
      this.at++;
      return "'";
    }
    const end = this.source.indexOf("'", this.at + 2);
    const stop = end < 0 ? this.source.length : end;
    const text = this.source.slice(this.at + 1, stop);
    this.at = stop + 1;
    return text;
  }

  private placeholder(inPlural: boolean): Part {
    this.at++;
    const name = this.word();
    if (this.take("}")) return { kind: "argument", name };
    this.expect(",");
    const type = this.word();
    if (type !== "plural" && type !== "selectordinal" && type !== "select") this.fail(`unknown type "${type}"`);
    this.expect(",");
    const options = new Map<string, Part[]>();
    while (!this.take("}")) {
      const option = this.word();
      this.expect("{");
      options.set(option, this.message(type === "select" ? inPlural : true, true));
      this.expect("}");
    }
    if (!options.has("other")) this.fail(`"${name}" has no "other"`);
    return type === "select"
      ? { kind: "select", name, options }
      : { kind: "plural", name, ordinal: type === "selectordinal", options };
  }

  private word(): string {
    this.space();
    const match = /^[\w=.-]+/.exec(this.source.slice(this.at, this.at + 64));
    if (!match) this.fail("expected a name");
    this.at += match[0].length;
    this.space();
    return match[0];
  }

  private take(char: string): boolean {
    this.space();
    if (this.source[this.at] !== char) return false;
    this.at++;
    return true;
  }

  private expect(char: string): void {
    if (!this.take(char)) this.fail(`expected ${char}`);
  }

  private space(): void {
    while (/\s/.test(this.source[this.at] ?? "")) this.at++;
  }

  private fail(message: string): never {
    throw new MessageSyntaxError(message, this.source, this.at);
  }
}

export function parseMessage(source: string): readonly Part[] {
  return new Reader(source).message(false, false);
}

/** Names of all arguments in a message, nested ones too. */
export function argumentNames(parts: readonly Part[]): Set<string> {
  const names = new Set<string>();
  for (const part of parts) {
    if ("name" in part) names.add(part.name);
    if ("options" in part)
      for (const option of part.options.values()) argumentNames(option).forEach((n) => names.add(n));
  }
  return names;
}

/** Fills a message in. A value that is not given is reported to `missing`, and its name is shown. */
export function formatMessage(
  parts: readonly Part[],
  values: Values,
  locale: string,
  missing: (name: string) => void,
  count?: number,
): string {
  let out = "";
  const valueOf = (name: string): string | number => {
    const value = values[name];
    if (value !== undefined) return value;
    missing(name);
    return `{${name}}`;
  };
  const show = (value: string | number) => (typeof value === "number" ? numberFormat(locale).format(value) : value);
  for (const part of parts) {
    switch (part.kind) {
      case "text":
        out += part.text;
        break;
      case "count":
        out += count === undefined ? "#" : show(count);
        break;
      case "argument":
        out += show(valueOf(part.name));
        break;
      case "select": {
        const option = part.options.get(String(valueOf(part.name))) ?? part.options.get("other") ?? [];
        out += formatMessage(option, values, locale, missing, count);
        break;
      }
      case "plural": {
        const number = Number(valueOf(part.name));
        const rule = pluralRules(locale, part.ordinal).select(number);
        const option = part.options.get(`=${number}`) ?? part.options.get(rule) ?? part.options.get("other") ?? [];
        out += formatMessage(option, values, locale, missing, number);
        break;
      }
    }
  }
  return out;
}

const numbers = new Map<string, Intl.NumberFormat>();
const plurals = new Map<string, Intl.PluralRules>();

function numberFormat(locale: string): Intl.NumberFormat {
  const kept = numbers.get(locale) ?? new Intl.NumberFormat(locale);
  numbers.set(locale, kept);
  return kept;
}

function pluralRules(locale: string, ordinal: boolean): Intl.PluralRules {
  const key = `${locale}/${ordinal}`;
  const kept = plurals.get(key) ?? new Intl.PluralRules(locale, { type: ordinal ? "ordinal" : "cardinal" });
  plurals.set(key, kept);
  return kept;
}
