import { mount } from "svelte";
import App from "./App.svelte";
import type { Host } from "./host/host";
import { insideShell, TauriHost } from "./host/tauri";
import "./shared/tokens.css";
import "./shared/base.css";

async function chooseHost(): Promise<Host> {
  if (insideShell()) return new TauriHost();
  // A release is only ever shown by the shell; the scenario is for a plain browser at the desk.
  if (import.meta.env.MODE === "production") throw new Error("Talaria's page runs inside its own window");
  const { scenario } = await import("./host/scenario");
  return scenario(new URLSearchParams(location.search));
}

const target = document.getElementById("app");
if (target) {
  const theme = new URLSearchParams(location.search).get("theme");
  if (theme !== null) document.documentElement.dataset["theme"] = theme;
  mount(App, { target, props: { host: await chooseHost() } });
}
