// Makes target/bench.json and a table out of rows, one JSON object a line: bench-table.mjs ROWS OUT.json

import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";

const [from, to] = process.argv.slice(2);
const rows = readFileSync(from, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const machine = { cpu: cpus()[0]?.model ?? "", cores: cpus().length, kernel: release(), load: loadavg() };
writeFileSync(to, `${JSON.stringify({ measured_at: new Date().toISOString(), machine, rows }, null, 2)}\n`);

/** A figure with three digits that say something. */
function figure(value, unit = "") {
  if (value === null || value === undefined) return "";
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return unit ? `${text} ${unit}` : text;
}

const head = ["what", "ours", "baseline", "ratio", "bar", "verdict", "[Python; Codex]"];
const cells = rows.map(({ what, unit, ours, baseline, ratio, bar, verdict, reference }) => [
  what,
  figure(ours, unit),
  figure(baseline, baseline === null ? "" : unit),
  ratio === null ? "" : ratio.toFixed(2),
  bar,
  verdict,
  reference && `[${reference}]`,
]);
const widths = head.map((name, column) => Math.max(name.length, ...cells.map((line) => line[column].length)));
const show = (line) =>
  `| ${line.map((cell, column) => (column > 0 && column < 4 ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join(" | ")} |`;
console.log(show(head));
console.log(`|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
for (const line of cells) console.log(show(line));
console.log(`\n${machine.cores} cores, ${machine.cpu}; load ${machine.load.map((value) => value.toFixed(2)).join(" ")}; medians`);
