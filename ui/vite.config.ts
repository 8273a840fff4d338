import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";
import manifest from "./package.json" with { type: "json" };

export default defineConfig({
  base: "./",
  define: { __APP_VERSION__: JSON.stringify(manifest.version) },
  plugins: [svelte(), svelteTesting()],
  clearScreen: false,
  server: { port: 1420, strictPort: true, host: "127.0.0.1" },
  build: {
    // WebKitGTK 2.50 is the oldest webview we ship on; it matches Safari 26.
    target: "safari26",
    outDir: "dist",
    emptyOutDir: true,
    // The CSP allows no data: URL, so every asset stays a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    restoreMocks: true,
  },
});
