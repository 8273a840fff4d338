import type {
  BootFailure,
  ModelInfo,
  OpenRequest,
  QueueEntry,
  Row,
  SessionSummary,
  Todo,
  ToolView,
  TurnId,
  Usage,
} from "../../bindings/protocol";

/** A chat of the made-up project. */
export interface Chat {
  summary: SessionSummary;
  rows: Row[];
  todos: Todo[];
  queue: QueueEntry[];
  paused: boolean;
  running: TurnId | null;
  open: OpenRequest[];
  draft: string;
  stopped: boolean;
}

export const USAGE: Usage = {
  input_tokens: 46_200,
  output_tokens: 2_100,
  cache_read_tokens: 31_000,
  cache_write_tokens: 0,
  reasoning_tokens: 400,
  api_calls: 7,
  last_prompt_tokens: 49_800,
};
export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  api_calls: 0,
  last_prompt_tokens: 0,
};
export const QWEN = { provider: "ollama", model: "qwen3-coder:30b", base_url: null, api_key_env: null };
export const DEMO = { provider: "demo", model: "demo", base_url: null, api_key_env: null };
export const FOLDER = "/home/you/srv/tidewatch-api";

export const MODELS: ModelInfo[] = [
  {
    route: QWEN,
    label: "Qwen3 Coder 30B",
    provider_label: "Ollama",
    source: "local_server",
    context_length: 131_072,
    tools: true,
  },
  {
    route: { ...QWEN, model: "gemma3:4b" },
    label: "Gemma 3 4B",
    provider_label: "Ollama",
    source: "local_server",
    context_length: 32_768,
    tools: false,
  },
  {
    route: DEMO,
    label: "Demo (scripted)",
    provider_label: "Built in",
    source: "demo",
    context_length: null,
    tools: true,
  },
];

export function pieces(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

export function summary(
  id: string,
  title: string,
  preview: string,
  minutesAgo: number,
  more: Partial<SessionSummary> = {},
): SessionSummary {
  const at = Date.now() / 1000 - minutesAgo * 60;
  return {
    session_id: id,
    title,
    title_is_users: false,
    preview,
    state: "idle",
    started_at: at - 600,
    last_active_at: at,
    project_dir: FOLDER,
    git_branch: "feat/delivery-retry",
    model: QWEN,
    approval_mode: "ask",
    message_count: 12,
    usage: USAGE,
    source: "desktop",
    ...more,
  };
}

export function makeChat(of: SessionSummary, rows: Row[], more: Partial<Chat> = {}): Chat {
  return {
    summary: of,
    rows,
    todos: [],
    queue: [],
    paused: false,
    running: null,
    open: [],
    draft: "",
    stopped: false,
    ...more,
  };
}

export function tool(call_id: string, more: Partial<ToolView>): ToolView {
  return {
    call_id,
    name: "read_file",
    verb: "read",
    target: "",
    arguments: {},
    state: "done",
    started_at: Date.now() / 1000,
    duration_ms: 100,
    note: null,
    body: { type: "empty" },
    approval: null,
    ...more,
  };
}

export function user(n: number, turn_id: string, text: string, minutesAgo: number): Row {
  return { type: "user", row_id: `u${n}`, turn_id, text, at: Date.now() / 1000 - minutesAgo * 60, delivery: "sent" };
}

export function says(n: number, turn_id: string, text: string, streaming = false): Row {
  return { type: "assistant", row_id: `a${n}`, turn_id, text, streaming, at: Date.now() / 1000 - 60 };
}

export function others(): Chat[] {
  const plain = (id: string, title: string, preview: string, minutes: number, more: Partial<SessionSummary> = {}) =>
    makeChat(summary(id, title, preview, minutes, more), [user(1, "t", title, minutes), says(2, "t", preview)]);
  return [
    plain("bundler", "Upgrade the bundler", "Asks to run npm install", 8, {
      state: "needs_you",
      project_dir: "/home/you/src/atlas-web",
    }),
    plain("tide", "Why is the tide chart slow", "One request per station, 48 in total", 55),
    plain("import", "Nightly import", "Model endpoint refused the key", 70, { state: "failed" }),
    plain("csv", "CSV export with streaming", "Exports 2 million rows in 64 MiB", 60 * 30, {
      project_dir: "/home/you/src/ledger-cli",
    }),
    plain("settings", "Split the settings page", "Merged as three small commits", 60 * 80),
    plain("flags", "Rename flags in ledger-cli", "Old names still work, with a notice", 60 * 120),
  ];
}

export const RETRY_TEST = Array.from({ length: 86 }, (_, i) =>
  i % 9 === 0 ? "#[test]" : `    let step_${i} = worker.deliver(&jobs[${i}]);`,
).join("\n");
export const TEST_OUTPUT = [
  "test holds_order_per_endpoint ... \u001b[32mok\u001b[0m",
  "test survives_a_ten_minute_outage ... \u001b[32mok\u001b[0m",
  "test gives_up_after_the_last_attempt ... \u001b[32mok\u001b[0m",
].join("\n");
export const WORKER_DIFF = {
  path: "src/delivery/worker.rs",
  created: false,
  added: 38,
  removed: 12,
  truncated: false,
  hunks: [
    {
      skipped: 87,
      lines: [
        { kind: "same" as const, number: 88, text: "    match self.post(&job).await {" },
        { kind: "removed" as const, number: 89, text: "        Err(_) if job.attempt < 3 => self.queue.push(job)," },
        { kind: "added" as const, number: 89, text: "        Err(e) if e.is_transient() => {" },
        {
          kind: "added" as const,
          number: 90,
          text: "            let at = self.backoff.next(job.endpoint, job.attempt);",
        },
        { kind: "added" as const, number: 91, text: "            self.queue.hold_until(job, at).await?;" },
        { kind: "added" as const, number: 92, text: "        }" },
        { kind: "same" as const, number: 93, text: "        other => return other," },
      ],
    },
  ],
};
export const LOCKED: BootFailure = {
  error: {
    kind: "storage",
    layer: "disk",
    message: "The session database is locked by another program. Your chats are safe; nothing was changed.",
    hint: null,
    retryable: true,
    key: "error.disk.locked",
    values: {},
  },
  log_tail: [
    "14:21:07.112 INFO core starting, version 0.4.0",
    "14:21:07.118 INFO home ~/.talaria",
    "14:21:07.121 INFO config.yaml read, 31 keys",
    "14:21:07.126 INFO opening state.db",
    "14:21:12.130 WARN state.db busy for 5.0 s, process 41822 holds the lock",
    "14:21:17.133 WARN state.db busy for 10.0 s",
    "14:21:17.134 ERROR cannot open state.db: database is locked",
    "14:21:17.135 INFO window told: boot failed (disk)",
  ],
  home: "/home/you/.talaria",
  log_path: "/home/you/.talaria/logs/talaria.log",
  held_by: "talariad, process 41822, started 14:02",
};
