import type {
  AppError,
  DiscoveredServer,
  ModelInfo,
  ModelListReply,
  ModelRoute,
  ModelTestReply,
  SessionId,
} from "../../bindings/protocol";
import { asAppError, type Host } from "../../host/host";

export interface ModelGroup {
  label: string;
  models: ModelInfo[];
}

/** The models that can be chosen now, and how a test of one went. */
export class ModelChoice {
  models = $state.raw<ModelInfo[]>([]);
  servers = $state.raw<DiscoveredServer[]>([]);
  defaultModel = $state.raw<ModelRoute | null>(null);
  state = $state<"idle" | "loading" | "ready" | "failed">("idle");
  failure = $state.raw<AppError | null>(null);
  open = $state(false);
  query = $state("");
  /** Test by route; `null` while it runs. */
  tests = $state.raw<Record<string, ModelTestReply | null>>({});

  readonly groups: ModelGroup[] = $derived(group(this.models.filter((model) => matches(model, this.query))));

  #host: Host;
  #generation = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  async load(refresh: boolean): Promise<void> {
    const generation = ++this.#generation;
    this.state = "loading";
    try {
      const reply: ModelListReply = await this.#host.call("model.list", { refresh });
      if (generation !== this.#generation) return;
      this.models = reply.models;
      this.servers = reply.servers;
      this.defaultModel = reply.default_model;
      this.failure = null;
      this.state = "ready";
    } catch (thrown) {
      if (generation !== this.#generation) return;
      this.failure = asAppError(thrown);
      this.state = "failed";
    }
  }

  async test(route: ModelRoute): Promise<void> {
    const key = routeKey(route);
    this.tests = { ...this.tests, [key]: null };
    try {
      const reply = await this.#host.call("model.test", { route });
      this.tests = { ...this.tests, [key]: reply };
    } catch (thrown) {
      this.tests = { ...this.tests, [key]: { ok: false, legs: [], error: asAppError(thrown) } };
    }
  }

  /** Chooses for a session, or the default when there is none. Says whether the prompt cache is lost. */
  async choose(session: SessionId | null, route: ModelRoute): Promise<{ cacheLost: boolean } | AppError> {
    try {
      const reply = await this.#host.call("model.set", { session_id: session, route });
      if (session === null) this.defaultModel = reply.route;
      return { cacheLost: reply.cache_lost };
    } catch (thrown) {
      return asAppError(thrown);
    }
  }

  find(route: ModelRoute | null): ModelInfo | undefined {
    if (route === null) return undefined;
    const key = routeKey(route);
    return this.models.find((model) => routeKey(model.route) === key);
  }

  /** Name for people; the model's own id until the list has come. */
  label(route: ModelRoute | null): string | null {
    return route === null ? null : (this.find(route)?.label ?? route.model);
  }
}

export function routeKey(route: ModelRoute): string {
  return [route.provider, route.model, route.base_url ?? "", route.api_key_env ?? ""].join("\u0000");
}

/** Searches as people type: case and `-`, `.`, `_` and spaces do not count. */
export function matches(model: ModelInfo, query: string): boolean {
  const wanted = plain(query);
  return wanted === "" || plain(`${model.label} ${model.route.model} ${model.provider_label}`).includes(wanted);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[-._\s]/g, "");
}

function group(models: readonly ModelInfo[]): ModelGroup[] {
  const groups: ModelGroup[] = [];
  for (const model of models) {
    const known = groups.find((candidate) => candidate.label === model.provider_label);
    if (known) known.models.push(model);
    else groups.push({ label: model.provider_label, models: [model] });
  }
  return groups;
}
