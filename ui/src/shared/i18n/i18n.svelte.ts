import { english, isMessageKey, pseudo, type Catalogue, type MessageKey } from "./catalogue";
import { formatMessage, parseMessage, type Part, type Values } from "./icu";

/** `pseudo` is for pictures that show hard-coded or cut text. */
export type Locale = "en" | "pseudo";

const catalogues: Readonly<Record<Locale, Catalogue>> = { en: english, pseudo: english };

let current = $state<Locale>("en");
const parsed = new Map<string, readonly Part[]>();

export function setLocale(locale: Locale): void {
  if (locale === current) return;
  parsed.clear();
  current = locale;
}

/** Language tag for `Intl` and the document. */
export function localeTag(): string {
  return current === "pseudo" ? "en" : current;
}

/** The message of `key` in the present language. Read inside markup or `$derived`, it follows a change of language. */
export function t(key: MessageKey, values: Values = {}): string {
  return formatMessage(partsOf(key), values, localeTag(), (name) => reportMissing(key, name));
}

/** Text for a key that came over the wire; `fallback` is the sentence that came with it. */
export function translate(key: string, values: Values, fallback: string): string {
  return isMessageKey(key) ? t(key, values) : fallback;
}

function partsOf(key: MessageKey): readonly Part[] {
  const locale = current;
  const kept = parsed.get(key);
  if (kept) return kept;
  const plain = parseMessage(catalogues[locale].get(key) ?? key);
  const parts = locale === "pseudo" ? pseudo(plain) : plain;
  parsed.set(key, parts);
  return parts;
}

function reportMissing(key: string, name: string): void {
  const message = `message "${key}" needs the value "${name}"`;
  if (import.meta.env.MODE === "test") throw new Error(message);
  console.warn(message);
}
