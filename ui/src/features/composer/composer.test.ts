import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ModelInfo } from "../../bindings/protocol";
import { ScriptedHost } from "../../host/scripted";
import { Composer, DRAFT_DELAY_MS } from "./composer.svelte";
import { composerIntent, type ComposerIntent, type KeyLike } from "./keys";
import { matches, ModelChoice } from "./models.svelte";

beforeEach(() => localStorage.clear());
afterEach(() => vi.useRealTimers());

const KEY: KeyLike = {
  key: "Enter",
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 13,
};
const IDLE = { running: false, empty: false, walking: false };

test.each<[string, Partial<KeyLike>, Partial<typeof IDLE>, ComposerIntent]>([
  ["Enter sends", {}, {}, "send"],
  ["Shift+Enter breaks the line", { shiftKey: true }, {}, null],
  ["Enter steers while a turn runs", {}, { running: true }, "send"],
  ["mod+Enter queues while a turn runs", { ctrlKey: true }, { running: true }, "queue"],
  ["mod+Enter sends when nothing runs", { metaKey: true }, {}, "send"],
  ["Enter that ends a composition never sends", { isComposing: true }, {}, null],
  ["Enter that an input method took never sends", { keyCode: 229 }, {}, null],
  ["Up in the empty field goes back", { key: "ArrowUp" }, { empty: true }, "older"],
  ["Up in a text moves the caret", { key: "ArrowUp" }, {}, null],
  ["Down while walking comes forward", { key: "ArrowDown" }, { walking: true }, "newer"],
  ["Down in the empty field does nothing", { key: "ArrowDown" }, { empty: true }, null],
])("%s", (_name, key, at, intent) => {
  expect(composerIntent({ ...KEY, ...key }, { ...IDLE, ...at })).toBe(intent);
});

function composing() {
  const host = new ScriptedHost()
    .on("session.draft", () => ({}))
    .on("prompt.submit", () => ({ accepted: "started", turn_id: "t" }));
  return { host, composer: new Composer(host), methods: () => host.calls.map((call) => call.method) };
}

/** Lets a call reach the host. */
const underWay = () => new Promise((resolve) => setTimeout(resolve));

test("a text that was sent leaves the field and its stored draft", async () => {
  const { host, composer } = composing();
  composer.open("s");
  composer.typed("do it");
  await composer.submit("steer", async () => "s");
  expect(composer.text).toBe("");
  expect(host.calls).toMatchObject([
    { method: "prompt.submit", params: { session_id: "s", text: "do it", when_busy: "steer" } },
    { method: "session.draft", params: { session_id: "s", text: "" } },
  ]);
});

test("a text that could not be sent comes back, with what was typed since after it", async () => {
  const { host, composer } = composing();
  composer.open("s");
  let refuse: () => void = () => {};
  host.on("prompt.submit", () => new Promise((_, reject) => (refuse = () => reject(new Error("disk full")))));
  composer.typed("first");
  const sending = composer.submit("steer", async () => "s");
  expect(composer.text).toBe("");
  composer.typed("second");
  await underWay();
  refuse();
  await sending;
  expect(composer.text).toBe("first\n\nsecond");
  expect(composer.failure?.message).toBe("disk full");
});

test("a second try of the same text carries the same token, so that it cannot arrive twice", async () => {
  const { host, composer } = composing();
  composer.open("s");
  host.on("prompt.submit", () => {
    throw new Error("answer lost");
  });
  composer.typed("once");
  await composer.submit("steer", async () => "s");
  await composer.submit("steer", async () => "s");
  const tokens = host.calls.flatMap((call) => (call.method === "prompt.submit" ? [call.params.client_token] : []));
  expect(tokens).toHaveLength(2);
  expect(tokens[0]).toBe(tokens[1]);
});

test("a failed send whose chat is no longer shown goes back to that chat's draft", async () => {
  const { host, composer } = composing();
  composer.open("a");
  let refuse: () => void = () => {};
  host.on("prompt.submit", () => new Promise((_, reject) => (refuse = () => reject(new Error("no")))));
  composer.typed("for a");
  const sending = composer.submit("steer", async () => "a");
  composer.open("b");
  composer.typed("for b");
  await underWay();
  refuse();
  await sending;
  expect(composer.text).toBe("for b");
  composer.open("a");
  expect(composer.text).toBe("for a");
});

test("each chat has its own draft, stored after a pause and at once on a switch", () => {
  vi.useFakeTimers();
  const { host, composer } = composing();
  composer.open("a");
  composer.typed("a1");
  composer.typed("a2");
  expect(host.calls).toEqual([]);
  vi.advanceTimersByTime(DRAFT_DELAY_MS);
  composer.typed("a3");
  composer.open("b");
  expect(composer.text).toBe("");
  expect(host.calls.map((call) => (call.method === "session.draft" ? call.params.text : call.method))).toEqual([
    "a2",
    "a3",
  ]);
  composer.open("a");
  expect(composer.text).toBe("a3");
});

test("a draft of the core fills an untouched field and never overwrites what was typed", () => {
  const { composer } = composing();
  composer.open("a");
  composer.restore("a", "from the core");
  expect(composer.text).toBe("from the core");
  composer.open("b");
  composer.typed("mine");
  composer.restore("b", "stale");
  expect(composer.text).toBe("mine");
});

test("the text of a new chat survives a reload and moves to the session it begins", async () => {
  const { host, composer } = composing();
  composer.typed("a plan");
  expect(new Composer(host).text).toBe("a plan");
  await composer.submit("steer", async () => {
    composer.become("s");
    return "s";
  });
  expect(new Composer(host).text).toBe("");
  expect(composer.session).toBe("s");
});

test("Up and Down walk what was sent, newest first, and end in the empty field", () => {
  const { composer } = composing();
  composer.open("s");
  const seen: string[] = [];
  for (const way of ["older", "older", "older", "newer", "newer"] as const) {
    composer.walk(way, ["one", "two"]);
    seen.push(composer.text);
  }
  expect(seen).toEqual(["two", "one", "one", "two", ""]);
});

const model = (label: string, id: string): ModelInfo => ({
  route: { provider: "ollama", model: id, base_url: null, api_key_env: null },
  label,
  provider_label: "Ollama",
  source: "local_server",
  context_length: null,
  tools: null,
});

test.each(["qwen3coder", "QWEN 3", "coder:30b", "qwen3-coder", "ollama"])(
  "the search finds Qwen3 Coder by %s",
  (query) => {
    expect(matches(model("Qwen3 Coder 30B", "qwen3-coder:30b"), query)).toBe(true);
  },
);

test("the search does not find what is not there", () => {
  expect(matches(model("Qwen3 Coder 30B", "qwen3-coder:30b"), "gemma")).toBe(false);
});

test.each([
  ["in order", [0, 1]],
  ["the older one last", [1, 0]],
])("of two model lists the newer one counts when they answer %s", async (_name, order) => {
  const host = new ScriptedHost();
  const gives: ((models: ModelInfo[]) => void)[] = [];
  host.on(
    "model.list",
    () => new Promise((resolve) => gives.push((models) => resolve({ models, servers: [], default_model: null }))),
  );
  const choice = new ModelChoice(host);
  const both = [choice.load(false), choice.load(true)];
  for (const i of order) gives[i]?.([model(i === 0 ? "old" : "new", "m")]);
  await Promise.all(both);
  expect(choice.models.map((info) => info.label)).toEqual(["new"]);
});
