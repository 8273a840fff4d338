import { expect, test } from "vitest";
import type { AppError } from "../../bindings/protocol";
import { failureProse, failureText } from "./failure";

function failure(message: string, hint: string | null = null): AppError {
  return { kind: "internal", layer: "runtime", message, hint, retryable: false, key: "no.such.key", values: {} };
}

test.each([
  ["the disk is full", "The disk is full"],
  ["http://127.0.0.1:11434/v1 cannot be reached", "http://127.0.0.1:11434/v1 cannot be reached"],
  ["/home/state.db is damaged", "/home/state.db is damaged"],
  ["config.yaml has no line 3", "config.yaml has no line 3"],
  ["qwen3-coder rejected the key", "qwen3-coder rejected the key"],
  ["", ""],
])("%s begins as a sentence, but addresses, paths and names stay as they are", (message, shown) => {
  expect(failureText(failure(message))).toBe(shown);
});

test("what failed and what to do are two sentences", () => {
  expect(failureProse(failure("the disk is full", "Make room."))).toBe("The disk is full. Make room.");
  expect(failureProse(failure("Nothing works.", "Wait."))).toBe("Nothing works. Wait.");
  expect(failureProse(failure("the disk is full"))).toBe("The disk is full");
});
