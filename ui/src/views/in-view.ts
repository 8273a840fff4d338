/** Share of a card that counts as seen. */
const SEEN = 0.15;

/** Tells which question cards below `root` are in sight, now and whenever that changes, until it is called off. */
export function watchCards(root: HTMLElement, tell: (ids: ReadonlySet<string>) => void): () => void {
  const seen = new Set<string>();
  const watched = new Set<HTMLElement>();
  const idOf = (card: Element) => (card instanceof HTMLElement ? card.dataset["request"] : undefined);
  const mark = (card: Element, visible: boolean) => {
    const id = idOf(card);
    if (id === undefined) return;
    if (visible) seen.add(id);
    else seen.delete(id);
  };
  const sight = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) mark(target, isIntersecting);
      tell(new Set(seen));
    },
    { root, threshold: SEEN },
  );
  const sync = () => {
    const cards = new Set(root.querySelectorAll<HTMLElement>("[data-request]"));
    for (const card of watched) {
      if (cards.has(card)) continue;
      sight.unobserve(card);
      watched.delete(card);
      mark(card, false);
      tell(new Set(seen));
    }
    for (const card of cards) {
      if (watched.has(card)) continue;
      watched.add(card);
      // The observer answers a frame later; without this look the bar would flash for that frame.
      mark(card, overlaps(card.getBoundingClientRect(), root.getBoundingClientRect()));
      sight.observe(card);
      tell(new Set(seen));
    }
  };
  const changes = new MutationObserver(sync);
  changes.observe(root, { childList: true, subtree: true });
  sync();
  return () => {
    changes.disconnect();
    sight.disconnect();
  };
}

function overlaps(card: DOMRect, view: DOMRect): boolean {
  return card.top < view.bottom && card.bottom > view.top;
}
