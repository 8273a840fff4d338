/** Runs a paint soon; calls are the caller's to merge. */
export type Scheduler = (paint: () => void) => void;

/** Paints at most thirty times a second, on an animation frame. A hidden window has no frames, so nothing is painted there. */
export const PAINT_INTERVAL_MS = 33;

export function frameScheduler(): Scheduler {
  let last = 0;
  return (paint) => {
    const run = () => {
      last = performance.now();
      paint();
    };
    const wait = last + PAINT_INTERVAL_MS - performance.now();
    if (wait <= 0) requestAnimationFrame(run);
    else setTimeout(() => requestAnimationFrame(run), wait);
  };
}
