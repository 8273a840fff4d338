export type Placement = "bottom-start" | "bottom-end" | "top-start" | "top-end" | "bottom" | "top";

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

const margin = 8;

/** Where a float of `size` goes beside `anchor`: on the wished side, or on the other one where it does not fit, and never outside. */
export function place(
  anchor: Box,
  size: Size,
  view: Size,
  wish: Placement,
  gap: number,
  rtl = false,
): { x: number; y: number } {
  const below = anchor.bottom + gap;
  const above = anchor.top - gap - size.height;
  const fitsBelow = below + size.height <= view.height - margin;
  const fitsAbove = above >= margin;
  const y = wish.startsWith("bottom")
    ? fitsBelow || !fitsAbove
      ? below
      : above
    : fitsAbove || !fitsBelow
      ? above
      : below;
  const side = wish.split("-")[1];
  const atLeft = (side === "start") !== rtl;
  const x = side === undefined
    ? (anchor.left + anchor.right - size.width) / 2
    : atLeft ? anchor.left : anchor.right - size.width; // prettier-ignore
  const clamp = (value: number, room: number) => Math.max(margin, Math.min(value, room - margin));
  return { x: clamp(x, view.width - size.width), y: clamp(y, view.height - size.height) };
}
