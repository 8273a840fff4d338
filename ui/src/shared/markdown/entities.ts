const basic: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const named = new Map<string, string>(Object.entries(basic));

/** Replaces character references by their characters, as CommonMark wants it in text and link targets. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z\d]{1,31}));/g,
    (whole, decimal, hex, name) => {
      if (name) return namedEntity(name, whole);
      const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
      const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
      return valid ? String.fromCodePoint(code) : "\ufffd";
    },
  );
}

function namedEntity(name: string, whole: string): string {
  const known = named.get(name);
  if (known !== undefined) return known;
  // The webview knows all 2,000 names. `whole` is `&`, letters and digits, `;`: it cannot hold markup.
  const decoded = new DOMParser().parseFromString(whole, "text/html").body.textContent || whole;
  if (named.size < 500) named.set(name, decoded);
  return decoded;
}
