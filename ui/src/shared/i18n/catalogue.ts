import { argumentNames, parseMessage, type Part } from "./icu";
import { en } from "./en";

type Keys<T> = {
  [K in keyof T & string]: T[K] extends string ? K : `${K}.${Keys<T[K]>}`;
}[keyof T & string];

/** A key of the catalogue: the path to its message, joined by dots. */
export type MessageKey = Keys<typeof en>;

interface Tree {
  readonly [key: string]: string | Tree;
}

export type Catalogue = ReadonlyMap<string, string>;

/** Turns a nested catalogue into one map from key to message. */
export function flatten(tree: Tree, prefix = "", into = new Map<string, string>()): Map<string, string> {
  for (const [key, value] of Object.entries(tree)) {
    const path = prefix ? `${prefix}.${key}` : key;
    if (typeof value === "string") into.set(path, value);
    else flatten(value, path, into);
  }
  return into;
}

export const english: Catalogue = flatten(en);

export function isMessageKey(key: string): key is MessageKey {
  return english.has(key);
}

/** What is wrong with `other` as a translation of `base`; empty when nothing is. */
export function catalogueFaults(base: Catalogue, other: Catalogue): string[] {
  const faults: string[] = [];
  for (const [key, message] of base) {
    const translated = other.get(key);
    if (translated === undefined) {
      faults.push(`${key} is missing`);
      continue;
    }
    const wanted = [...argumentNames(parseMessage(message))].sort().join(", ");
    const found = [...argumentNames(parseMessage(translated))].sort().join(", ");
    if (wanted !== found) faults.push(`${key} has the arguments (${found}), not (${wanted})`);
  }
  for (const key of other.keys()) if (!base.has(key)) faults.push(`${key} is not in the base catalogue`);
  return faults;
}

const accents: Readonly<Record<string, string>> = {
  a: "á", c: "ç", e: "é", g: "ğ", i: "í", l: "ł", n: "ñ", o: "ö", r: "ř", s: "š", t: "ţ", u: "ü", y: "ý", z: "ž",
  A: "Á", C: "Ç", E: "É", I: "Í", L: "Ł", N: "Ñ", O: "Ö", R: "Ř", S: "Š", T: "Ţ", U: "Ü", Y: "Ý", Z: "Ž",
}; // prettier-ignore

/** Makes a message longer and foreign looking, with its arguments untouched: shows text that is cut or hard-coded. */
export function pseudo(parts: readonly Part[]): readonly Part[] {
  const swap = (text: string) => text.replace(/[A-Za-z]/g, (letter) => accents[letter] ?? letter);
  const walk = (list: readonly Part[]): Part[] =>
    list.map((part) => {
      if (part.kind === "text") return { kind: "text", text: swap(part.text) };
      if (part.kind === "plural" || part.kind === "select") {
        return { ...part, options: new Map([...part.options].map(([name, option]) => [name, walk(option)])) };
      }
      return part;
    });
  const letters = parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 8), 0);
  const pad = "·".repeat(Math.max(1, Math.ceil(letters * 0.3)));
  return [{ kind: "text", text: "[" }, ...walk(parts), { kind: "text", text: `${pad}]` }];
}
