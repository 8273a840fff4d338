import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ApprovalParams, ClarifyReply } from "../../bindings/protocol";
import ApprovalCard from "./ApprovalCard.svelte";
import QuestionCard from "./QuestionCard.svelte";

const PARAMS: ApprovalParams = {
  session_id: "s",
  request_id: "srq-1",
  call_id: "c",
  tool: "terminal",
  summary: "x",
  command: "git pull && rm -rf dist",
  parts: [
    { operator: "", command: "git pull", verdict: "allowed", reasons: [] },
    { operator: "&&", command: "rm -rf dist", verdict: "asks", reasons: ["Deletes a folder"] },
  ],
  diff: null,
  arguments: {},
  cwd: "/home/you/app",
  target: { kind: "ssh", name: "build-02" },
  risk: [],
  choices: ["once", "session", "deny"],
  allow_permanent: false,
  scope_preview: null,
};

function card(more: Partial<ApprovalParams> = {}) {
  const params = { ...PARAMS, ...more };
  const ondecide = vi.fn();
  const question = { id: "srq-1", request: { method: "approval" as const, params }, askedAt: 1, failure: null };
  render(ApprovalCard, { question, params, takesFocus: () => true, ondecide });
  return { ondecide, user: userEvent.setup(), group: screen.getByRole("group", { name: /Approval/ }) };
}

const names = () =>
  screen.getAllByRole("button").map((button) => button.textContent?.replace(/Ctrl|↵|Esc/g, "").trim());

test("the card names the machine, each part with its verdict, and where it would run", () => {
  const { group } = card();
  expect(group).toBe(screen.getByRole("group", { name: "Approval: Run this command on build-02?" }));
  for (const text of [
    "git pull",
    "Allowed by a rule",
    "rm -rf dist",
    "Deletes a folder",
    "/home/you/app",
    "1 of 2 parts ask",
  ]) {
    expect(screen.getByText(text)).toBeTruthy();
  }
});

test("only the answers on offer have a button, and a denial always has one", () => {
  card({ choices: ["once", "deny"] });
  expect(names()).toEqual(["Allow once", "Deny with a note", "Deny"]);
});

test("with nothing on offer the card can only deny", () => {
  card({ choices: [] });
  expect(names()).toEqual(["Deny with a note", "Deny"]);
});

test("the focus is on the card itself and never on a widening answer", () => {
  const { group } = card();
  expect(document.activeElement).toBe(group);
});

test("mod+Enter allows once, Esc denies", async () => {
  const { ondecide, user } = card();
  await user.keyboard("{Control>}{Enter}{/Control}");
  await user.keyboard("{Escape}");
  expect(ondecide.mock.calls).toEqual([
    ["once", null],
    ["deny", null],
  ]);
});

test("mod+Enter does nothing when once is not on offer", async () => {
  const { ondecide, user } = card({ choices: ["deny"] });
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(ondecide).not.toHaveBeenCalled();
});

test("a note is written and goes with the denial; Esc only closes the field", async () => {
  const { ondecide, user, group } = card();
  await user.click(screen.getByRole("button", { name: "Deny with a note" }));
  await user.keyboard("{Escape}");
  expect(ondecide).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(group);
  await user.click(screen.getByRole("button", { name: "Deny with a note" }));
  await user.type(screen.getByLabelText("Note for the agent"), "not dist{Enter}");
  expect(ondecide.mock.calls).toEqual([["deny", "not dist"]]);
});

function questionCard() {
  const onreply = vi.fn<(answers: ClarifyReply["answers"]) => void>();
  const params = {
    session_id: "s",
    request_id: "srq-2",
    call_id: "c",
    questions: [{ qid: "q", question: "Which one?", choices: ["Red", "Blue"], multi: false }],
  };
  const question = { id: "srq-2", request: { method: "clarify" as const, params }, askedAt: 1, failure: null };
  render(QuestionCard, { question, params, takesFocus: () => true, onreply });
  return { onreply, user: userEvent.setup() };
}

test("a digit chooses, mod+Enter answers", async () => {
  const { onreply, user } = questionCard();
  await user.keyboard("2");
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(onreply.mock.calls).toEqual([[{ q: "Blue" }]]);
});

test("free text answers, also when it has digits", async () => {
  const { onreply, user } = questionCard();
  await user.type(screen.getByRole("textbox", { name: "Something else" }), "2 greens");
  await user.click(screen.getByRole("button", { name: /Answer/ }));
  expect(onreply.mock.calls).toEqual([[{ q: "2 greens" }]]);
});

test("Esc skips", async () => {
  const { onreply, user } = questionCard();
  await user.keyboard("{Escape}");
  expect(onreply.mock.calls).toEqual([[null]]);
});
