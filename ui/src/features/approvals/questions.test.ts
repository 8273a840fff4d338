import { expect, test } from "vitest";
import type { ApprovalChoice, ApprovalParams, OpenRequest } from "../../bindings/protocol";
import { ScriptedHost } from "../../host/scripted";
import { runtimeError } from "../../host/host";
import { approvalIntent } from "./keys";
import { OpenQuestions } from "./questions.svelte";

export function approval(id: string, more: Partial<ApprovalParams> = {}): ApprovalParams {
  return {
    session_id: "s",
    request_id: id,
    call_id: `call-${id}`,
    tool: "terminal",
    summary: "rm -rf dist",
    command: "rm -rf dist",
    parts: [{ operator: "", command: "rm -rf dist", verdict: "asks", reasons: ["Deletes a folder"] }],
    diff: null,
    arguments: {},
    cwd: "/p",
    target: { kind: "local", name: "this computer" },
    risk: ["Deletes a folder"],
    choices: ["once", "session", "deny"],
    allow_permanent: false,
    scope_preview: null,
    ...more,
  };
}

function asked(...ids: string[]) {
  const host = new ScriptedHost();
  const questions = new OpenQuestions(host, () => 1);
  questions.listen();
  for (const id of ids) host.ask(id, { method: "approval", params: approval(id) });
  return { host, questions, ids: () => questions.list.map((question) => question.id) };
}

const open = (id: string, session_id = "s"): OpenRequest => ({
  id,
  request: { method: "approval", params: approval(id, { session_id }) },
  asked_at: 1,
});
const cancel = (id: string) =>
  ({
    session_id: "s",
    seq: 1,
    type: "request.cancel",
    payload: { id, method: "approval", reason: "resolved" },
  }) as const;

test("an answer goes to the question that it names and closes only that one", async () => {
  const { host, questions, ids } = asked("srq-1", "srq-2");
  await questions.decide("srq-2", "once");
  expect(host.answers).toEqual([{ method: "approval", id: "srq-2", result: { choice: "once", note: null } }]);
  expect(ids()).toEqual(["srq-1"]);
});

test("a note goes along with a denial", async () => {
  const { host, questions } = asked("srq-1");
  await questions.decide("srq-1", "deny", "  use cargo clean  ");
  expect(host.answers).toMatchObject([{ result: { choice: "deny", note: "use cargo clean" } }]);
});

test("an answer that the core did not offer is never sent; a denial always is", async () => {
  const { host, questions } = asked();
  host.ask("srq-1", { method: "approval", params: approval("srq-1", { choices: ["once", "deny"] }) });
  await questions.decide("srq-1", "session");
  await questions.decide("srq-1", "always");
  expect(host.answers).toEqual([]);
  host.ask("srq-2", { method: "approval", params: approval("srq-2", { choices: [] }) });
  await questions.decide("srq-2", "deny");
  expect(host.answers).toMatchObject([{ id: "srq-2" }]);
});

test("an answer that does not arrive leaves the question open, with the reason", async () => {
  const { host, questions } = asked("srq-1");
  host.answerError = runtimeError("error.connection", "lost");
  await questions.decide("srq-1", "once");
  expect(questions.list).toMatchObject([{ id: "srq-1", failure: { message: "lost" } }]);
  host.answerError = null;
  await questions.decide("srq-1", "once");
  expect(host.answers).toMatchObject([{ id: "srq-1" }]);
});

test("a withdrawn question goes, and exactly that one", () => {
  const { questions, ids } = asked("srq-1", "srq-2");
  questions.receive(cancel("srq-1"));
  expect(ids()).toEqual(["srq-2"]);
});

test("questions of a snapshot are shown again once; those that the core no longer has go", () => {
  const { questions, ids } = asked("srq-1", "srq-old");
  questions.restore("s", [open("srq-1"), open("srq-2")], true);
  expect(ids()).toEqual(["srq-1", "srq-2"]);
});

test("a snapshot of one session leaves the questions of others alone", () => {
  const { host, questions, ids } = asked("srq-1");
  host.ask("srq-9", { method: "approval", params: approval("srq-9", { session_id: "other" }) });
  questions.restore("s", [], true);
  expect(ids()).toEqual(["srq-9"]);
});

test("a snapshot from before the answer does not bring the question back", async () => {
  const { questions, ids } = asked("srq-1");
  await questions.decide("srq-1", "once");
  questions.restore("s", [open("srq-1")], true);
  expect(ids()).toEqual([]);
});

test("a card takes the focus once, not each time it scrolls into view", () => {
  const { questions } = asked("srq-1");
  expect([questions.claimFocus("srq-1"), questions.claimFocus("srq-1")]).toEqual([true, false]);
});

test("a skipped question answers without answers", async () => {
  const { host, questions } = asked();
  const params = {
    session_id: "s",
    request_id: "srq-1",
    call_id: "c",
    questions: [{ qid: "q", question: "?", choices: [], multi: false }],
  };
  host.ask("srq-1", { method: "clarify", params });
  await questions.reply("srq-1", null);
  expect(host.answers).toEqual([{ method: "clarify", id: "srq-1", result: { answers: null } }]);
});

test.each<[string, Partial<KeyboardEvent>, { onCard: boolean; noting: boolean }, ApprovalChoice | "close_note" | null]>(
  [
    ["mod+Enter allows once", { key: "Enter", ctrlKey: true }, { onCard: true, noting: false }, "once"],
    ["Enter alone does nothing", { key: "Enter" }, { onCard: true, noting: false }, null],
    ["Esc denies", { key: "Escape" }, { onCard: true, noting: false }, "deny"],
    ["Esc in the note only closes the note", { key: "Escape" }, { onCard: false, noting: true }, "close_note"],
    ["mod+Enter in the note does not allow", { key: "Enter", ctrlKey: true }, { onCard: false, noting: true }, null],
    ["a letter does nothing", { key: "y" }, { onCard: true, noting: false }, null],
    ["an input method keeps its keys", { key: "Escape", isComposing: true }, { onCard: true, noting: false }, null],
  ],
)("%s", (_name, key, at, intent) => {
  const event = { key: "", ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, isComposing: false, ...key };
  expect(approvalIntent(event, at)).toBe(intent);
});
