import { expect, test } from "vitest";
import { CallError } from "./host";
import { RpcClient } from "./rpc";

function client() {
  const sent: string[] = [];
  const rpc = new RpcClient((frame) => void sent.push(frame));
  return { rpc, sent, last: () => JSON.parse(sent.at(-1) ?? "null") };
}

test("a call is a JSON-RPC request with an integer id, and its answer settles it", async () => {
  const { rpc, last } = client();
  const reply = rpc.call("session.interrupt", { session_id: "s" });
  expect(last()).toEqual({ jsonrpc: "2.0", id: 1, method: "session.interrupt", params: { session_id: "s" } });
  rpc.receive(`{"jsonrpc":"2.0","id":1,"result":{}}`);
  expect(await reply).toEqual({});
});

test("answers are matched by id, in whatever order they come", async () => {
  const { rpc } = client();
  const first = rpc.call("usage.get", { session_id: null });
  const second = rpc.call("usage.get", { session_id: "s" });
  rpc.receive(`{"jsonrpc":"2.0","id":2,"result":{"total":2}}`);
  rpc.receive(`{"jsonrpc":"2.0","id":1,"result":{"total":1}}`);
  expect(await Promise.all([first, second])).toEqual([{ total: 1 }, { total: 2 }]);
});

test("a failed call carries the core's own error", async () => {
  const { rpc } = client();
  const error = {
    kind: "not_found",
    layer: "runtime",
    message: "gone",
    hint: "h",
    retryable: false,
    key: "k",
    values: {},
  };
  const call = rpc.call("session.interrupt", { session_id: "s" });
  rpc.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "gone", data: error } }));
  const thrown = await call.catch((reason: unknown) => reason);
  expect(thrown).toBeInstanceOf(CallError);
  expect(thrown).toMatchObject({ error });
});

test("a protocol fault without an error object still becomes one", async () => {
  const { rpc } = client();
  const call = rpc.call("session.interrupt", { session_id: "s" });
  rpc.receive(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}`);
  await expect(call).rejects.toMatchObject({ error: { kind: "internal", message: "no such method (-32601)" } });
});

test("a frame that cannot be sent fails its call", async () => {
  const rpc = new RpcClient(() => Promise.reject(new Error("pipe closed")));
  await expect(rpc.call("usage.get", { session_id: null })).rejects.toMatchObject({
    error: { key: "error.connection" },
  });
});

test("a lost connection fails every open call", async () => {
  const { rpc } = client();
  const calls = [rpc.call("usage.get", { session_id: null }), rpc.call("usage.get", { session_id: "s" })];
  rpc.close("the core is gone");
  const results = await Promise.allSettled(calls);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
});

test("events reach every listener until it leaves", () => {
  const { rpc } = client();
  const seen: number[] = [];
  const leave = rpc.onEvent((frame) => seen.push(frame.seq));
  const event = (seq: number) =>
    rpc.receive(
      JSON.stringify({
        jsonrpc: "2.0",
        method: "event",
        params: { session_id: null, seq, type: "notice.clear", payload: { notice_id: "n" } },
      }),
    );
  event(1);
  leave();
  event(2);
  expect(seen).toEqual([1]);
});

const question = { session_id: "s", request_id: "srq-1", call_id: "c" };

test("a question stays open and is answered by its id", async () => {
  const { rpc, sent, last } = client();
  const asked: string[] = [];
  rpc.onRequest("approval", (id) => asked.push(id));
  rpc.receive(JSON.stringify({ jsonrpc: "2.0", id: "srq-1", method: "approval", params: question }));
  expect(asked).toEqual(["srq-1"]);
  expect(sent).toEqual([]);
  await rpc.answer("approval", "srq-1", { choice: "deny", note: "no" });
  expect(last()).toEqual({ jsonrpc: "2.0", id: "srq-1", result: { choice: "deny", note: "no" } });
});

test("a question that comes before anyone listens is not lost", () => {
  const { rpc } = client();
  rpc.receive(
    JSON.stringify({ jsonrpc: "2.0", id: "srq-1", method: "clarify", params: { ...question, questions: [] } }),
  );
  const asked: string[] = [];
  rpc.onRequest("approval", () => asked.push("wrong"));
  rpc.onRequest("clarify", (id) => asked.push(id));
  expect(asked).toEqual(["srq-1"]);
});

test("a question of an unknown kind or without its fields is refused with the right code", () => {
  const { rpc, sent } = client();
  rpc.receive(`{"jsonrpc":"2.0","id":"srq-2","method":"clipboard","params":{"session_id":"s","call_id":"c"}}`);
  rpc.receive(`{"jsonrpc":"2.0","id":"srq-3","method":"approval","params":{}}`);
  expect(sent.map((frame) => JSON.parse(frame)).map(({ id, error }) => [id, error.code])).toEqual([
    ["srq-2", -32601],
    ["srq-3", -32602],
  ]);
});

test("garbage on the wire is dropped and the next frame still counts", async () => {
  const { rpc } = client();
  const call = rpc.call("usage.get", { session_id: null });
  rpc.receive("{not json");
  rpc.receive(`{"jsonrpc":"2.0","id":1,"result":{"total":1}}`);
  expect(await call).toEqual({ total: 1 });
});
