/** Puts an element with `popover="manual"` into the top layer, so that no scroller clips it. */
export function raise(node: HTMLElement): void {
  // The test DOM has no popovers; there the element is simply in the page.
  if (typeof node.showPopover === "function" && node.isConnected && !isRaised(node)) node.showPopover();
}

function isRaised(node: HTMLElement): boolean {
  return node.matches(":popover-open");
}
