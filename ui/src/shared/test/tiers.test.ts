import { posix } from "node:path";
import { expect, test } from "vitest";
import { sources } from "./sources";

/** Why `from` must not import `specifier`, or nothing when it may. */
function fault(from: string, specifier: string): string | undefined {
  if (specifier.startsWith("@tauri-apps/")) {
    return from === "host/tauri.ts" ? undefined : "only host/tauri.ts imports @tauri-apps";
  }
  if (!specifier.startsWith(".")) return undefined;
  const target = posix.normalize(posix.join(posix.dirname(from), specifier));
  if (target.startsWith("..")) return "nothing outside src is imported";
  const [fromTier, fromFeature] = from.split("/");
  const [tier, feature] = target.split("/");
  switch (fromTier) {
    case "bindings":
      return tier === "bindings" ? undefined : "bindings import nothing";
    case "shared":
      return tier === "shared" || tier === "bindings" ? undefined : `shared must not import ${tier}`;
    case "host":
      return tier === "host" || tier === "bindings" ? undefined : `host must not import ${tier}`;
    case "features":
      if (tier === "shared" || tier === "host" || tier === "bindings") return undefined;
      return tier === "features" && feature === fromFeature
        ? undefined
        : "a feature imports itself, shared, host and bindings";
    default:
      return undefined;
  }
}

function specifiers(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  const found = code.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)["']([^"']+)["']/g);
  return [...found].flatMap(([, specifier]) => (specifier ? [specifier] : []));
}

test("the rules tell allowed from forbidden imports", () => {
  expect(fault("shared/ui/Button.svelte", "../icons/Icon.svelte")).toBeUndefined();
  expect(fault("shared/ui/Button.svelte", "../../features/chat/x")).toBeDefined();
  expect(fault("shared/ui/Button.svelte", "../../host/host")).toBeDefined();
  expect(fault("features/chat/a.ts", "../sessions/b")).toBeDefined();
  expect(fault("features/chat/deep/a.ts", "../b")).toBeUndefined();
  expect(fault("features/chat/a.ts", "../../views/b")).toBeDefined();
  expect(fault("views/Main.svelte", "../features/chat/a")).toBeUndefined();
  expect(fault("features/chat/a.ts", "@tauri-apps/api/core")).toBeDefined();
  expect(fault("host/tauri.ts", "@tauri-apps/api/core")).toBeUndefined();
  expect(specifiers(`import a from "./a";\nimport "./b.css";\nconst c = await import('./c');\nexport * from "./d";`)).toEqual([
    "./a", "./b.css", "./c", "./d",
  ]); // prettier-ignore
});

test("imports keep the tiers: shared, then features, then views", () => {
  const faults = sources(".ts", ".svelte").flatMap(({ path, text }) =>
    specifiers(text).flatMap((specifier) => {
      const why = fault(path, specifier);
      return why ? [`${path} imports ${specifier}: ${why}`] : [];
    }),
  );
  expect(faults).toEqual([]);
});
