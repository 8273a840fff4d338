const allowed = new Set(["http:", "https:", "mailto:"]);

/** The target of a link when it may be opened, else nothing. Relative targets have no meaning in a chat. */
export function safeHref(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return allowed.has(url.protocol) ? url.href : undefined;
}
