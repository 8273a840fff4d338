import type { ApprovalParams, Row } from "../../bindings/protocol";
import { RETRY_TEST, TEST_OUTPUT, WORKER_DIFF, FOLDER, makeChat, says, summary, tool, user, type Chat } from "./parts";

/** Where the day stands, by name. */
export const SCENES: Record<string, () => Chat> = {
  main: () => {
    const t = "t-main";
    const rows: Row[] = [
      user(
        1,
        t,
        "Deliveries in src/delivery/worker.rs are lost when a receiver is down for more than a minute. Retry them with backoff, keep the order per endpoint, and prove it with a test.",
        2,
      ),
      {
        type: "reasoning",
        row_id: "th",
        turn_id: t,
        text: "The worker retries three times without a pause and then drops the job.",
        streaming: false,
        at: Date.now() / 1000 - 110,
        duration_ms: 6000,
      },
      says(
        2,
        t,
        "The worker gives up after three quick attempts and drops the job. I will hold failed jobs in the queue per endpoint, so later ones wait behind them, and space the attempts out.",
      ),
      {
        type: "tool",
        row_id: "x1",
        turn_id: t,
        tool: tool("c1", {
          target: "src/delivery/worker.rs",
          note: "214 lines",
          body: { type: "text", text: RETRY_TEST, truncated: true },
        }),
      },
      {
        type: "tool",
        row_id: "x2",
        turn_id: t,
        tool: tool("c2", {
          name: "search",
          verb: "search",
          target: "retry_after",
          note: "11 matches in 4 files",
          duration_ms: 200,
        }),
      },
      {
        type: "tool",
        row_id: "x3",
        turn_id: t,
        tool: tool("c3", {
          name: "write_file",
          verb: "edit",
          target: "src/delivery/backoff.rs",
          body: {
            type: "edit",
            files: [{ ...WORKER_DIFF, path: "src/delivery/backoff.rs", created: true, added: 46, removed: 0 }],
          },
        }),
      },
      {
        type: "tool",
        row_id: "x4",
        turn_id: t,
        tool: tool("c4", {
          name: "write_file",
          verb: "edit",
          target: "src/delivery/worker.rs",
          body: { type: "edit", files: [WORKER_DIFF] },
        }),
      },
      {
        type: "tool",
        row_id: "x5",
        turn_id: t,
        tool: tool("c5", {
          name: "terminal",
          verb: "run",
          target: "cargo test -p delivery --test retry",
          note: "exit 0",
          duration_ms: 8400,
          body: {
            type: "terminal",
            command: "cargo test -p delivery --test retry",
            cwd: FOLDER,
            exit_code: 0,
            output: TEST_OUTPUT,
            total_lines: 41,
            truncated: true,
          },
        }),
      },
      says(
        3,
        t,
        "Failed deliveries now wait and are tried again, up to **eight attempts over two hours**. Order holds because a waiting job blocks its endpoint only:\n\n- `backoff.rs` computes the delay: 2 s doubling to 30 min, with 20 % jitter\n- `hold_until` parks the job and keeps later ones for that endpoint behind it\n- Receivers that answer 4xx are not retried, except 408 and",
        true,
      ),
    ];
    return makeChat(summary("main", "Retry failed webhooks", "Editing worker.rs", 0, { state: "running" }), rows, {
      running: t,
      todos: [
        "Read the worker",
        "Add the backoff",
        "Hold failed jobs",
        "Replace the fixed retry with the backoff",
        "Cover the outage with a test",
        "Update the manual",
      ].map((content, i) => ({
        id: String(i),
        content,
        status: i < 3 ? "completed" : i === 3 ? "in_progress" : "pending",
      })),
      queue: [
        { entry_id: "q1", text: "Then update the manual." },
        { entry_id: "q2", text: "And bump the version." },
      ],
    });
  },
  approval: () => {
    const t = "t-approval";
    const command =
      "git rebase origin/main && rm -rf target/release/.fingerprint/delivery-* && curl -fsSL https://get.oarload.example/install.sh | sh -s -- --to ~/.local/bin";
    const params: ApprovalParams = {
      session_id: "main",
      request_id: "srq-000000000001",
      call_id: "c3",
      tool: "terminal",
      summary: command,
      command,
      parts: [
        { operator: "", command: "git rebase origin/main", verdict: "allowed", reasons: [] },
        {
          operator: "&&",
          command: "rm -rf target/release/.fingerprint/delivery-*",
          verdict: "asks",
          reasons: ["Deletes a folder"],
        },
        {
          operator: "&&",
          command: "curl -fsSL https://get.oarload.example/install.sh",
          verdict: "asks",
          reasons: ["Downloads from a new host"],
        },
        { operator: "|", command: "sh -s -- --to ~/.local/bin", verdict: "asks", reasons: ["Runs what it downloaded"] },
      ],
      diff: null,
      arguments: { command },
      cwd: "~/srv/tidewatch-api",
      target: { kind: "local", name: "this computer" },
      risk: [],
      choices: ["once", "session", "deny"],
      allow_permanent: false,
      scope_preview: null,
    };
    const rows: Row[] = [
      user(1, "t0", "What is left before this can go to staging?", 5),
      says(
        2,
        "t0",
        "Three things:\n\n1. The branch is 14 commits behind `main`; two of them touch the delivery worker\n2. Staging still has the old retry limit in `deploy/staging.toml`\n3. Nothing has measured the queue while thousands of jobs wait",
      ),
      user(
        3,
        t,
        "Good. Bring the branch up to date, clear the stale build files and install the load tester, then measure it against staging.",
        3,
      ),
      says(
        4,
        t,
        "I will rebase first, then clear only the build cache of this crate. The load tester is not packaged for this machine, so I would use its install script.",
      ),
      {
        type: "tool",
        row_id: "x1",
        turn_id: t,
        tool: tool("c1", {
          name: "terminal",
          verb: "run",
          target: "git fetch origin",
          note: "exit 0",
          duration_ms: 1200,
          body: {
            type: "terminal",
            command: "git fetch origin",
            cwd: FOLDER,
            exit_code: 0,
            output: "",
            total_lines: 0,
            truncated: false,
          },
        }),
      },
      {
        type: "tool",
        row_id: "x2",
        turn_id: t,
        tool: tool("c2", {
          name: "write_file",
          verb: "edit",
          target: "deploy/staging.toml",
          body: { type: "edit", files: [{ ...WORKER_DIFF, path: "deploy/staging.toml", added: 2, removed: 1 }] },
          approval: { request_id: "srq-0", choice: "once", note: null, at: Date.now() / 1000 - 120, by: "you" },
        }),
      },
      {
        type: "tool",
        row_id: "x3",
        turn_id: t,
        tool: tool("c3", { name: "terminal", verb: "run", target: command, state: "waiting", duration_ms: null }),
      },
    ];
    return makeChat(
      summary("main", "Retry failed webhooks", "Waiting for your approval", 0, { state: "needs_you" }),
      rows,
      {
        running: t,
        open: [{ id: params.request_id, request: { method: "approval", params }, asked_at: Date.now() / 1000 - 20 }],
      },
    );
  },
  edit: () => {
    const chat = SCENES["approval"]?.() ?? makeChat(summary("main", "", "", 0), []);
    const row = chat.rows.at(-1);
    const [open] = chat.open;
    if (row?.type !== "tool" || open?.request.method !== "approval") return chat;
    chat.rows[chat.rows.length - 1] = {
      ...row,
      tool: { ...row.tool, name: "write_file", verb: "edit", target: WORKER_DIFF.path },
    };
    const params = {
      ...open.request.params,
      tool: "write_file",
      command: null,
      parts: [],
      diff: WORKER_DIFF,
      risk: ["Writes a file"],
      scope_preview: "Edits inside this folder",
    };
    chat.open = [{ ...open, request: { method: "approval", params } }];
    return chat;
  },
  question: () => {
    const t = "t-q";
    const question = {
      qid: "q1",
      question: "How long may a delivery wait before it is given up?",
      choices: ["Two hours, eight attempts", "A day, twenty attempts", "For ever, until someone cancels it"],
      multi: false,
    };
    return makeChat(
      summary("main", "Retry failed webhooks", "Asks how long to wait", 0, { state: "needs_you" }),
      [
        user(1, t, "Retry failed deliveries with backoff.", 2),
        says(
          2,
          t,
          "The worker gives up after three quick attempts. Before I choose a schedule I need one decision from you.",
        ),
        {
          type: "tool",
          row_id: "x1",
          turn_id: t,
          tool: tool("c9", {
            name: "clarify",
            verb: "ask",
            target: question.question,
            state: "waiting",
            duration_ms: null,
            body: { type: "question", question, answer: null },
          }),
        },
      ],
      {
        running: t,
        open: [
          {
            id: "srq-000000000009",
            request: {
              method: "clarify",
              params: { session_id: "main", request_id: "srq-000000000009", call_id: "c9", questions: [question] },
            },
            asked_at: Date.now() / 1000,
          },
        ],
      },
    );
  },
  long: () => {
    const rows: Row[] = [];
    for (let i = 0; i < 2000; i += 1) {
      const t = `t${i}`;
      const ago = (2000 - i) * 9;
      rows.push(user(i, t, `Step ${i}: move the next part of the export over and say what changed.`, ago));
      for (let k = 0; k < 3; k += 1) {
        rows.push({
          type: "tool",
          row_id: `x${i}-${k}`,
          turn_id: t,
          tool: tool(`c${i}-${k}`, {
            target: `src/export/part_${i}_${k}.rs`,
            note: "120 lines",
            state: k === 1 && i % 50 === 49 ? "failed" : "done",
          }),
        });
      }
      rows.push(
        says(
          i,
          t,
          `Part ${i} is moved. Rows leave as they are read, so memory stays flat.\n\n- read: \`part_${i}.rs\`\n- kept: the old name, with a notice`,
        ),
      );
    }
    return makeChat(
      summary("main", "CSV export with streaming", "Writing the usage section", 1, {
        project_dir: "/home/you/src/ledger-cli",
        git_branch: "export-stream",
      }),
      rows,
    );
  },
  failure: () => {
    const t = "t-f";
    const error = {
      kind: "model" as const,
      layer: "stream" as const,
      message: "No data for 60 s. The text so far is kept.",
      hint: "Try again, or choose another model.",
      retryable: true,
      key: "error.stream.silent",
      values: {},
    };
    return makeChat(summary("main", "Retry failed webhooks", "The model stopped answering", 0, { state: "failed" }), [
      user(1, t, "Retry failed deliveries with backoff.", 2),
      says(2, t, "The worker gives up after three quick attempts and"),
      {
        type: "notice",
        row_id: "n1",
        key: "notice.interrupted",
        values: {},
        text: "The turn was interrupted; what had run is kept.",
        at: Date.now() / 1000,
      },
      { type: "error", row_id: "e1", turn_id: t, error, at: Date.now() / 1000 },
    ]);
  },
};
