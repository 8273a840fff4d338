import type { Host } from "./host";
import { World } from "./scenario/world";

/** One day in a small made-up project. `scene` chooses where it stands; what is typed starts a scripted turn. */
export function scenario(query: URLSearchParams): Host {
  return new World(query.get("scene") ?? "main", Number(query.get("pace") ?? "1")).host;
}
