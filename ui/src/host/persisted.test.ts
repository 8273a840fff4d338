import { beforeEach, expect, test } from "vitest";
import { PERSISTED, readPersisted, readRoute, writePersisted } from "./persisted";

beforeEach(() => localStorage.clear());

test("every key names its scope", () => {
  const unscoped = PERSISTED.filter((key) => !/^(global|connection|profile|project|session|window)\//.test(key));
  expect(unscoped).toEqual([]);
});

test("a value comes back, and null takes it away", () => {
  writePersisted("global/new-chat-folder", "/p");
  expect(readPersisted("global/new-chat-folder")).toBe("/p");
  writePersisted("global/new-chat-folder", null);
  expect(readPersisted("global/new-chat-folder")).toBeNull();
});

test.each(["", "{", "[]", "null", '{"provider":"x"}'])(
  "a stored model that is no model (%s) is as good as none",
  (text) => {
    writePersisted("global/new-chat-model", text);
    expect(readRoute()).toBeNull();
  },
);

test("a stored model comes back whole", () => {
  const route = { provider: "ollama", model: "m", base_url: null, api_key_env: null };
  writePersisted("global/new-chat-model", JSON.stringify(route));
  expect(readRoute()).toEqual(route);
});
