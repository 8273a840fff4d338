import type { ApprovalParams } from "../../bindings/protocol";
import { t } from "../../shared/i18n";

/** The question of an approval; it names the machine. */
export function headline(params: ApprovalParams): string {
  const machine = params.target.kind === "local" ? t("machine.thisInline") : params.target.name;
  if (params.diff !== null) return t(params.diff.created ? "approval.create" : "approval.write", { machine });
  if (params.command !== null) return t("approval.run", { machine });
  return t("approval.use", { tool: params.tool, machine });
}

/** The same in one line, for the bar above the composer. */
export function subject(params: ApprovalParams): string {
  return params.diff?.path ?? params.command ?? params.summary;
}
