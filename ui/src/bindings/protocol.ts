// Generated from talaria-protocol; do not edit. `make bindings` writes it.

export type Accepted = "started" | "steered" | "queued";

export type AppError = { 
/**
 * Branch on this.
 */
kind: ErrorKind, 
/**
 * Which part failed.
 */
layer: Layer, 
/**
 * Show this: what failed, in the person's words (English).
 */
message: string, 
/**
 * And this: what to do now.
 */
hint: string | null, 
/**
 * Whether doing the same again may work.
 */
retryable: boolean, 
/**
 * Key of the sentence in the UI's catalogue, such as `error.model.auth`.
 */
key: string, 
/**
 * Values for the placeholders of that sentence.
 */
values: { [key in string]: string }, };

export type ApprovalChoice = "once" | "session" | "always" | "deny";

export type ApprovalMode = "ask" | "accept_edits" | "smart" | "plan" | "auto";

export type ApprovalModeParams = { 
/**
 * Session; without it the default is set and written.
 */
session_id: SessionId | null, 
/**
 * The mode.
 */
mode: ApprovalMode, };

export type ApprovalModeReply = { 
/**
 * The mode.
 */
mode: ApprovalMode, };

export type ApprovalParams = { 
/**
 * Session that asks.
 */
session_id: SessionId, 
/**
 * Id of the question; the answer names it.
 */
request_id: RequestId, 
/**
 * Call it is about.
 */
call_id: CallId, 
/**
 * Name of the tool.
 */
tool: string, 
/**
 * One line: what would be done.
 */
summary: string, 
/**
 * Full command, for commands.
 */
command: string | null, 
/**
 * Its simple commands with their verdicts.
 */
parts: Array<CommandPart>, 
/**
 * Change, for writes.
 */
diff: FileDiff | null, 
/**
 * Arguments of the call.
 */
arguments: JsonValue, 
/**
 * Working directory.
 */
cwd: string, 
/**
 * Where it would run.
 */
target: Target, 
/**
 * Why it asks.
 */
risk: Array<string>, 
/**
 * Answers on offer, in order.
 */
choices: Array<ApprovalChoice>, 
/**
 * Whether a rule for good may be made.
 */
allow_permanent: boolean, 
/**
 * What `session` would allow, in words.
 */
scope_preview: string | null, };

export type ApprovalRecord = { 
/**
 * The question.
 */
request_id: RequestId, 
/**
 * The answer; `deny` also when nobody could be asked.
 */
choice: ApprovalChoice, 
/**
 * The person's note.
 */
note: string | null, 
/**
 * UNIX seconds.
 */
at: number, 
/**
 * Who answered: `you`, or `nobody` when there was no surface to ask.
 */
by: string, };

export type ApprovalReply = { 
/**
 * The choice.
 */
choice: ApprovalChoice, 
/**
 * A note that goes to the model with a denial.
 */
note: string | null, };

export type BootFailure = { 
/**
 * What failed and what to do.
 */
error: AppError, 
/**
 * Last lines of the log, secrets removed.
 */
log_tail: Array<string>, 
/**
 * Home folder of Talaria.
 */
home: string, 
/**
 * Log file.
 */
log_path: string, 
/**
 * Who holds what is needed, where known: program, process, start.
 */
held_by: string | null, };

export type CallId = string;

export type ClarifyParams = { 
/**
 * Session that asks.
 */
session_id: SessionId, 
/**
 * Id of the request.
 */
request_id: RequestId, 
/**
 * Call it is about.
 */
call_id: CallId, 
/**
 * What is asked.
 */
questions: Array<Question>, };

export type ClarifyReply = { 
/**
 * Answers.
 */
answers: { [key in string]: string | null } | null, };

export type CommandPart = { 
/**
 * Operator before it (`&&`, `||`, `;`, `|`, `&`); empty for the first.
 */
operator: string, 
/**
 * The command in full.
 */
command: string, 
/**
 * Verdict.
 */
verdict: PartVerdict, 
/**
 * Why it asks or is blocked, one short sentence each.
 */
reasons: Array<string>, };

export type ConfigGetParams = { 
/**
 * Dotted key such as `agent.max_turns`; without it all settings.
 */
key: string | null, };

export type ConfigGetReply = { 
/**
 * Value of the key, or the whole tree.
 */
value: JsonValue, 
/**
 * File that is written to.
 */
path: string, 
/**
 * Unknown keys and values that were ignored, one sentence each.
 */
warnings: Array<string>, };

export type ConfigSetParams = { 
/**
 * Dotted key.
 */
key: string, 
/**
 * New value; `null` takes the key out of the file.
 */
value: JsonValue, };

export type Delivery = "sent" | "steered";

export type DiffHunk = { 
/**
 * Unchanged lines skipped before this place.
 */
skipped: number, 
/**
 * Lines in order.
 */
lines: Array<DiffLine>, };

export type DiffLine = { 
/**
 * Kind.
 */
kind: DiffLineKind, 
/**
 * Line number: in the old text for removed lines, in the new one else. From 1.
 */
number: number, 
/**
 * The line without its line break.
 */
text: string, };

export type DiffLineKind = "same" | "added" | "removed";

export type DiscoveredServer = { 
/**
 * Profile name.
 */
provider: string, 
/**
 * Name for people.
 */
label: string, 
/**
 * Address that was asked.
 */
base_url: string, 
/**
 * Whether it answered in time.
 */
found: boolean, 
/**
 * How many models it serves.
 */
models: number, };

export type Done = Record<symbol, never>;

export type Epoch = string;

export type ErrorKind = "invalid" | "not_found" | "busy" | "auth" | "no_model" | "model" | "storage" | "config" | "denied" | "cancelled" | "internal";

export type EventFrame = { 
/**
 * Session; `None` for global events.
 */
session_id: SessionId | null, 
/**
 * Grows by one per (epoch, session), or per epoch for global events. From 1.
 */
seq: number, } & ({ "type": "message.start", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The user row.
 */
row: Row, } } | { "type": "message.delta", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Row it belongs to.
 */
row_id: string, 
/**
 * Text to append.
 */
text: string, } } | { "type": "message.interim", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * The finished row.
 */
row: Row, } } | { "type": "message.complete", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * How.
 */
status: TurnStatus, 
/**
 * Final text; empty when there is none.
 */
text: string, 
/**
 * Assistant row that holds the final text, if any.
 */
row_id: string | null, 
/**
 * Tokens of the turn.
 */
usage: Usage, 
/**
 * What failed.
 */
error: AppError | null, 
/**
 * Why the loop ended (agent.md 4.6).
 */
exit_reason: string, } } | { "type": "reasoning.delta", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Row it belongs to.
 */
row_id: string, 
/**
 * Text to append.
 */
text: string, } } | { "type": "tool.generating", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Name of the tool.
 */
name: string, } } | { "type": "tool.start", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Row of the call.
 */
row_id: string, 
/**
 * The call.
 */
tool: ToolView, } } | { "type": "tool.progress", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Row of the call.
 */
row_id: string, 
/**
 * The call.
 */
call_id: CallId, 
/**
 * New output with ANSI colours.
 */
text: string, } } | { "type": "tool.complete", "payload": { 
/**
 * The turn.
 */
turn_id: TurnId, 
/**
 * Row of the call.
 */
row_id: string, 
/**
 * The call with its result.
 */
tool: ToolView, } } | { "type": "todo.updated", "payload": { 
/**
 * All steps.
 */
todos: Array<Todo>, } } | { "type": "row.added", "payload": { 
/**
 * The row.
 */
row: Row, } } | { "type": "queue.updated", "payload": { 
/**
 * In order.
 */
entries: Array<QueueEntry>, 
/**
 * Whether the queue waits for the person (after an interrupt).
 */
paused: boolean, } } | { "type": "session.info", "payload": { 
/**
 * The session now.
 */
session: SessionSummary, } } | { "type": "session.usage", "payload": { 
/**
 * Sum over the session.
 */
usage: Usage, } } | { "type": "status", "payload": { 
/**
 * What.
 */
kind: StatusKind, 
/**
 * In words.
 */
text: string, 
/**
 * Which attempt, when it is tried again.
 */
attempt: number | null, } } | { "type": "request.cancel", "payload": { 
/**
 * The question.
 */
id: RequestId, 
/**
 * Its method.
 */
method: string, 
/**
 * Why.
 */
reason: RequestCancelReason, } } | { "type": "sessions.changed", "payload": { 
/**
 * New or changed row.
 */
session: SessionSummary | null, 
/**
 * Row that is gone.
 */
removed: SessionId | null, } } | { "type": "notice.show", "payload": { 
/**
 * The notice.
 */
notice: Notice, } } | { "type": "notice.clear", "payload": { 
/**
 * Which.
 */
notice_id: string, } });

export type EventsSinceParams = { 
/**
 * Epoch the client saw.
 */
epoch: Epoch, 
/**
 * Session; without it the global stream.
 */
session_id: SessionId | null, 
/**
 * Newest `seq` the client has.
 */
seq: number, };

export type EventsSinceReply = { 
/**
 * Whether `events` close the gap; otherwise load the session again.
 */
complete: boolean, 
/**
 * In order.
 */
events: Array<EventFrame>, 
/**
 * Questions that are open.
 */
open_requests: Array<OpenRequest>, };

export type FileDiff = { 
/**
 * Path as shown: relative to the project where it lies inside.
 */
path: string, 
/**
 * Whether the file is new.
 */
created: boolean, 
/**
 * Added lines.
 */
added: number, 
/**
 * Removed lines.
 */
removed: number, 
/**
 * Changed places with three lines of context; cut at 400 lines in all.
 */
hunks: Array<DiffHunk>, 
/**
 * Whether hunks were left out.
 */
truncated: boolean, };

export type HelloParams = { 
/**
 * Protocol version the client speaks: major.minor.
 */
protocol: string, 
/**
 * Version of the client.
 */
app_version: string, 
/**
 * `desktop` or `cli`.
 */
client: string, 
/**
 * Window, for a desktop client.
 */
window_id: string | null, 
/**
 * Reverse requests this client answers, for example `approval`.
 */
capabilities: Array<string>, 
/**
 * What the client saw last.
 */
resume: ResumePoint | null, };

export type HelloReply = { 
/**
 * Protocol version of the core. A different major means: do not go on.
 */
protocol: string, 
/**
 * Version of the core.
 */
core_version: string, 
/**
 * This start of the core.
 */
epoch: Epoch, 
/**
 * Seconds between heartbeats on connections that can break.
 */
heartbeat_s: number, 
/**
 * Optional abilities of the core.
 */
features: Array<string>, 
/**
 * Newest `seq` of the global stream.
 */
global_seq: number, 
/**
 * Whether the missed events of `resume` were replayed; otherwise load again.
 */
replayed: boolean, 
/**
 * Notices that hold now.
 */
notices: Array<Notice>, 
/**
 * Default model, if one is configured or was found.
 */
default_model: ModelRoute | null, 
/**
 * Default mode.
 */
default_mode: ApprovalMode, 
/**
 * Name of this machine for people.
 */
machine: string, 
/**
 * Home folder of Talaria.
 */
home: string, };

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;

export type Layer = "model" | "endpoint" | "stream" | "auth" | "billing" | "gateway" | "runtime" | "disk";

export type ModelInfo = { 
/**
 * What to put into a session.
 */
route: ModelRoute, 
/**
 * Name for people. Says "scripted" where the model is the demo.
 */
label: string, 
/**
 * Name of the provider for people.
 */
provider_label: string, 
/**
 * Where it was found.
 */
source: ModelSource, 
/**
 * Window in tokens, where known.
 */
context_length: number | null, 
/**
 * Whether it is known to call tools; `None` when unknown.
 */
tools: boolean | null, };

export type ModelListParams = { 
/**
 * Whether to look for local servers again instead of using what was found lately.
 */
refresh: boolean, };

export type ModelListReply = { 
/**
 * Configured first, then local, then by key, the demo last.
 */
models: Array<ModelInfo>, 
/**
 * Local servers that were looked for.
 */
servers: Array<DiscoveredServer>, 
/**
 * The default.
 */
default_model: ModelRoute | null, };

export type ModelRoute = { 
/**
 * Name of a provider profile: `custom`, `openai`, `openrouter`, `ollama`, `lmstudio`, `llamacpp`, `vllm`, `demo`.
 */
provider: string, 
/**
 * Model id as the server knows it.
 */
model: string, 
/**
 * Base address, when it differs from the profile's own.
 */
base_url: string | null, 
/**
 * Environment variable that holds the key, when it differs from the profile's own. Never the key itself.
 */
api_key_env: string | null, };

export type ModelSetParams = { 
/**
 * Session; without it the default is set and written.
 */
session_id: SessionId | null, 
/**
 * The model.
 */
route: ModelRoute, };

export type ModelSetReply = { 
/**
 * The model.
 */
route: ModelRoute, 
/**
 * Whether the provider's prompt cache is lost by it (context over 20,000 tokens).
 */
cache_lost: boolean, };

export type ModelSource = "configured" | "local_server" | "key" | "demo";

export type ModelTestParams = { 
/**
 * The model.
 */
route: ModelRoute, };

export type ModelTestReply = { 
/**
 * Whether all legs worked.
 */
ok: boolean, 
/**
 * Legs in order.
 */
legs: Array<TestLeg>, 
/**
 * First failing leg as an error with a way out.
 */
error: AppError | null, };

export type ModelUsage = { 
/**
 * Model id.
 */
model: string, 
/**
 * Provider.
 */
provider: string, 
/**
 * Tokens.
 */
usage: Usage, };

export type Notice = { 
/**
 * Id, for `notice.clear`.
 */
notice_id: string, 
/**
 * Weight.
 */
level: NoticeLevel, 
/**
 * Key of the sentence in the catalogue.
 */
key: string, 
/**
 * Values for its placeholders.
 */
values: { [key in string]: string }, 
/**
 * The sentence in English.
 */
text: string, 
/**
 * What to do.
 */
hint: string | null, };

export type NoticeLevel = "info" | "warning";

export type OpenRequest = { 
/**
 * JSON-RPC id of the question.
 */
id: RequestId, 
/**
 * The question.
 */
request: ServerRequest, 
/**
 * UNIX seconds.
 */
asked_at: number, };

export type PartVerdict = "reads" | "safe" | "allowed" | "asks" | "blocked";

export type PromptReply = { 
/**
 * What.
 */
accepted: Accepted, 
/**
 * The turn it began or steers.
 */
turn_id: TurnId | null, };

export type PromptSubmitParams = { 
/**
 * Which session.
 */
session_id: SessionId, 
/**
 * The text, not blank.
 */
text: string, 
/**
 * What to do when a turn runs.
 */
when_busy: WhenBusy, 
/**
 * Token of the client's choice; the same token is accepted once, so that a resend after a lost answer is safe.
 */
client_token: string | null, };

export type Question = { 
/**
 * Id of the question within the request.
 */
qid: string, 
/**
 * The question.
 */
question: string, 
/**
 * Offered answers; empty for an open question. The UI always adds free text.
 */
choices: Array<string>, 
/**
 * Whether several may be chosen.
 */
multi: boolean, };

export type QueueEditParams = { 
/**
 * Which session.
 */
session_id: SessionId, 
/**
 * Which entry.
 */
entry_id: string, 
/**
 * The text, not blank.
 */
text: string, };

export type QueueEntry = { 
/**
 * Id within the session, for edits.
 */
entry_id: string, 
/**
 * What will be sent.
 */
text: string, };

export type QueueEntryParams = { 
/**
 * Which session.
 */
session_id: SessionId, 
/**
 * Which entry.
 */
entry_id: string, };

export type QueueMoveParams = { 
/**
 * Which session.
 */
session_id: SessionId, 
/**
 * Which entry.
 */
entry_id: string, 
/**
 * From 0.
 */
index: number, };

export type QueueReply = { 
/**
 * In order.
 */
entries: Array<QueueEntry>, 
/**
 * Whether it waits for the person.
 */
paused: boolean, };

export type RequestCancelReason = "timeout" | "interrupted" | "resolved" | "session_closed" | "shutdown";

export type RequestId = string;

export type ResumePoint = { 
/**
 * Epoch it saw.
 */
epoch: Epoch, 
/**
 * Newest `seq` per stream.
 */
last_seq: { [key in string]: number }, };

export type Row = { "type": "user", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Turn that it began or steered.
 */
turn_id: TurnId, 
/**
 * The text as typed.
 */
text: string, 
/**
 * UNIX seconds.
 */
at: number, 
/**
 * How it was delivered.
 */
delivery: Delivery, } | { "type": "assistant", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Turn it belongs to.
 */
turn_id: TurnId, 
/**
 * Markdown so far.
 */
text: string, 
/**
 * Whether more may come.
 */
streaming: boolean, 
/**
 * UNIX seconds of its beginning.
 */
at: number, } | { "type": "reasoning", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Turn it belongs to.
 */
turn_id: TurnId, 
/**
 * Text so far.
 */
text: string, 
/**
 * Whether more may come.
 */
streaming: boolean, 
/**
 * UNIX seconds of its beginning.
 */
at: number, 
/**
 * How long it took, once it ended.
 */
duration_ms: number | null, } | { "type": "tool", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Turn it belongs to.
 */
turn_id: TurnId, 
/**
 * The call.
 */
tool: ToolView, } | { "type": "notice", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Key of the sentence in the catalogue.
 */
key: string, 
/**
 * Values for its placeholders.
 */
values: { [key in string]: string }, 
/**
 * The sentence in English.
 */
text: string, 
/**
 * UNIX seconds.
 */
at: number, } | { "type": "error", 
/**
 * Id of the row.
 */
row_id: string, 
/**
 * Turn that failed.
 */
turn_id: TurnId, 
/**
 * What failed and what to do.
 */
error: AppError, 
/**
 * UNIX seconds.
 */
at: number, };

export type ServerRequest = { "method": "approval", "params": ApprovalParams } | { "method": "clarify", "params": ClarifyParams };

export type SessionCreateParams = { 
/**
 * Absolute folder to work in; without it the default folder, and for the demo a sample project.
 */
project_dir: string | null, 
/**
 * Model; without it the default.
 */
model: ModelRoute | null, 
/**
 * Mode; without it the default.
 */
approval_mode: ApprovalMode | null, 
/**
 * Limit of model calls a turn; without it the configured one (90).
 */
max_iterations: number | null, };

export type SessionDeleteParams = { 
/**
 * Which.
 */
session_id: SessionId, 
/**
 * Whether to skip the ten seconds in which it can be restored.
 */
now: boolean, };

export type SessionDeleteReply = { 
/**
 * UNIX seconds; `None` when it is gone already.
 */
undo_until: number | null, };

export type SessionHistoryParams = { 
/**
 * Which.
 */
session_id: SessionId, 
/**
 * From a snapshot or an earlier page.
 */
cursor: string, 
/**
 * How many rows at most; without it 80.
 */
limit: number | null, };

export type SessionHistoryReply = { 
/**
 * Oldest first.
 */
rows: Array<Row>, 
/**
 * For the next page.
 */
older_cursor: string | null, 
/**
 * Rows before these, roughly.
 */
older_rows: number, };

export type SessionId = string;

export type SessionListParams = { 
/**
 * How many at most; without it 50.
 */
limit: number | null, 
/**
 * From an earlier page.
 */
cursor: string | null, 
/**
 * Only titles and previews that contain this.
 */
query: string | null, };

export type SessionListReply = { 
/**
 * Newest first.
 */
sessions: Array<SessionSummary>, 
/**
 * For the next page.
 */
next_cursor: string | null, };

export type SessionRefParams = { 
/**
 * Which.
 */
session_id: SessionId, };

export type SessionRenameParams = { 
/**
 * Which.
 */
session_id: SessionId, 
/**
 * 1 to 200 characters.
 */
title: string, };

export type SessionReply = { 
/**
 * The session now.
 */
session: SessionSummary, };

export type SessionResumeParams = { 
/**
 * Which.
 */
session_id: SessionId, 
/**
 * How many rows at most; without it 40.
 */
limit: number | null, };

export type SessionSnapshot = { 
/**
 * The session.
 */
session: SessionSummary, 
/**
 * Newest rows, oldest first; a running turn is part of them.
 */
rows: Array<Row>, 
/**
 * For `session.history`; `None` when these are all.
 */
older_cursor: string | null, 
/**
 * Rows before these, roughly, for the scroll bar.
 */
older_rows: number, 
/**
 * Event that `rows` include last.
 */
seq: number, 
/**
 * Running turn.
 */
running_turn: TurnId | null, 
/**
 * The plan.
 */
todos: Array<Todo>, 
/**
 * What waits.
 */
queue: Array<QueueEntry>, 
/**
 * Whether the queue waits for the person.
 */
queue_paused: boolean, 
/**
 * Questions that are open, oldest first.
 */
open_requests: Array<OpenRequest>, 
/**
 * Unsent text.
 */
draft: string, };

export type SessionState = "idle" | "running" | "needs_you" | "failed";

export type SessionSummary = { 
/**
 * Durable id.
 */
session_id: SessionId, 
/**
 * Title: the person's, else the first words of the first message.
 */
title: string, 
/**
 * Whether the person gave the title; such a title is never overwritten.
 */
title_is_users: boolean, 
/**
 * What is happening or how it ended, one line.
 */
preview: string, 
/**
 * What the session is doing.
 */
state: SessionState, 
/**
 * UNIX seconds.
 */
started_at: number, 
/**
 * UNIX seconds of the newest message.
 */
last_active_at: number, 
/**
 * Folder that the session works in.
 */
project_dir: string | null, 
/**
 * Branch of that folder, where known.
 */
git_branch: string | null, 
/**
 * Model in use; `None` when none is configured.
 */
model: ModelRoute | null, 
/**
 * Mode in force.
 */
approval_mode: ApprovalMode, 
/**
 * Number of messages stored.
 */
message_count: number, 
/**
 * Sum over the session.
 */
usage: Usage, 
/**
 * Where the session was started: `desktop`, `cli`.
 */
source: string, };

export type SessionTextParams = { 
/**
 * Which.
 */
session_id: SessionId, 
/**
 * The text.
 */
text: string, };

export type StatusKind = "waiting_for_model" | "reconnecting" | "retrying" | "quiet" | "running_tools";

export type Target = { 
/**
 * `local`, `ssh`, `docker`, `cloud`.
 */
kind: string, 
/**
 * Name for people: `this computer`, a host, a container.
 */
name: string, };

export type TestLeg = { 
/**
 * `key`, `reach`, `protocol`, `model`, `answer`.
 */
name: string, 
/**
 * How it went.
 */
state: TestLegState, 
/**
 * Details or the failure, one sentence.
 */
detail: string, 
/**
 * How long it took.
 */
duration_ms: number, };

export type TestLegState = "done" | "failed" | "skipped";

export type Todo = { 
/**
 * Id that the model chose.
 */
id: string, 
/**
 * What is to be done, at most 4,000 characters.
 */
content: string, 
/**
 * How far it is.
 */
status: TodoStatus, };

export type TodoStatus = "pending" | "in_progress" | "completed" | "cancelled";

export type ToolBody = { "type": "empty" } | { "type": "terminal", 
/**
 * The command in full.
 */
command: string, 
/**
 * Working directory.
 */
cwd: string, 
/**
 * Exit code once it ended.
 */
exit_code: number | null, 
/**
 * Tail of the output with its ANSI colours; other control sequences removed.
 */
output: string, 
/**
 * Lines in all.
 */
total_lines: number, 
/**
 * Whether `output` is not all of it.
 */
truncated: boolean, } | { "type": "edit", 
/**
 * One entry a file.
 */
files: Array<FileDiff>, } | { "type": "text", 
/**
 * The text.
 */
text: string, 
/**
 * Whether it is cut.
 */
truncated: boolean, } | { "type": "question", 
/**
 * What was asked.
 */
question: Question, 
/**
 * The answer; `None` when dismissed or still open.
 */
answer: string | null, } | { "type": "todos", 
/**
 * All steps.
 */
todos: Array<Todo>, } | { "type": "json", 
/**
 * The result.
 */
result: JsonValue, };

export type ToolResultParams = { 
/**
 * Which session.
 */
session_id: SessionId, 
/**
 * Which turn; call ids may come again in later turns.
 */
turn_id: TurnId, 
/**
 * Which call.
 */
call_id: CallId, 
/**
 * First character, from 0.
 */
offset: number, 
/**
 * How many characters at most; without it 65,536.
 */
limit: number | null, };

export type ToolResultReply = { 
/**
 * The slice.
 */
text: string, 
/**
 * Characters in all.
 */
total: number, };

export type ToolState = "generating" | "queued" | "running" | "waiting" | "done" | "failed" | "cancelled" | "denied";

export type ToolView = { 
/**
 * The call.
 */
call_id: CallId, 
/**
 * Name of the tool.
 */
name: string, 
/**
 * What it does.
 */
verb: Verb, 
/**
 * To what: path, command, question. Mono in the window.
 */
target: string, 
/**
 * Arguments after coercion.
 */
arguments: JsonValue, 
/**
 * State.
 */
state: ToolState, 
/**
 * UNIX seconds, once it runs.
 */
started_at: number | null, 
/**
 * Once it ended.
 */
duration_ms: number | null, 
/**
 * Short result: `214 lines`, `exit 0`, the reason of a failure.
 */
note: string | null, 
/**
 * What unfolds below the step.
 */
body: ToolBody, 
/**
 * How the person answered, if asked.
 */
approval: ApprovalRecord | null, };

export type TurnId = string;

export type TurnStatus = "complete" | "error" | "interrupted";

export type Usage = { 
/**
 * Prompt tokens that were not cached.
 */
input_tokens: number, 
/**
 * Completion tokens, reasoning included.
 */
output_tokens: number, 
/**
 * Prompt tokens read from the provider's cache.
 */
cache_read_tokens: number, 
/**
 * Prompt tokens written to the provider's cache.
 */
cache_write_tokens: number, 
/**
 * Reasoning tokens, where the provider says.
 */
reasoning_tokens: number, 
/**
 * Model calls.
 */
api_calls: number, 
/**
 * Tokens of the newest prompt: how full the window is.
 */
last_prompt_tokens: number, };

export type UsageGetParams = { 
/**
 * Session; without it all.
 */
session_id: SessionId | null, };

export type UsageGetReply = { 
/**
 * In all.
 */
total: Usage, 
/**
 * By model.
 */
models: Array<ModelUsage>, };

export type Verb = "read" | "search" | "edit" | "run" | "fetch" | "open" | "ask" | "plan" | "use";

export type WhenBusy = "steer" | "queue" | "interrupt";

export interface Methods {
  "client.hello": [HelloParams, HelloReply];
  "session.create": [SessionCreateParams, SessionSnapshot];
  "session.resume": [SessionResumeParams, SessionSnapshot];
  "session.history": [SessionHistoryParams, SessionHistoryReply];
  "session.list": [SessionListParams, SessionListReply];
  "session.rename": [SessionRenameParams, SessionReply];
  "session.delete": [SessionDeleteParams, SessionDeleteReply];
  "session.restore": [SessionRefParams, SessionReply];
  "session.interrupt": [SessionRefParams, Done];
  "session.steer": [SessionTextParams, PromptReply];
  "session.queue.add": [SessionTextParams, QueueReply];
  "session.queue.edit": [QueueEditParams, QueueReply];
  "session.queue.move": [QueueMoveParams, QueueReply];
  "session.queue.remove": [QueueEntryParams, QueueReply];
  "session.queue.resume": [SessionRefParams, QueueReply];
  "session.draft": [SessionTextParams, Done];
  "prompt.submit": [PromptSubmitParams, PromptReply];
  "model.list": [ModelListParams, ModelListReply];
  "model.set": [ModelSetParams, ModelSetReply];
  "model.test": [ModelTestParams, ModelTestReply];
  "approvals.mode.set": [ApprovalModeParams, ApprovalModeReply];
  "config.get": [ConfigGetParams, ConfigGetReply];
  "config.set": [ConfigSetParams, ConfigGetReply];
  "usage.get": [UsageGetParams, UsageGetReply];
  "events.since": [EventsSinceParams, EventsSinceReply];
  "tool.result": [ToolResultParams, ToolResultReply];
}

export interface Requests {
  "approval": [ApprovalParams, ApprovalReply];
  "clarify": [ClarifyParams, ClarifyReply];
}
