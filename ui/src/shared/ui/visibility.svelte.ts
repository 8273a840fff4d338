import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  document.addEventListener("visibilitychange", update);
  return () => document.removeEventListener("visibilitychange", update);
});

/** Whether the page can be seen. Reactive: read it in markup or `$derived` to stop what only decorates. */
export function pageVisible(): boolean {
  subscribe();
  return document.visibilityState !== "hidden";
}
