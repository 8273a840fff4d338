export interface LogLine {
  time: string;
  level: string;
  text: string;
}

const LINE =
  /^(?:\d{4}-\d{2}-\d{2}[T ])?(\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)\d*Z?\s+(trace|debug|info|warn|error)\s+(.*)$/i;

/** Takes time and level out of log lines; a line of another shape is kept whole. */
export function logLines(tail: readonly string[]): LogLine[] {
  return tail.map((line) => {
    const [, time, level, text] = LINE.exec(line) ?? [];
    if (time === undefined || level === undefined || text === undefined) return { time: "", level: "", text: line };
    return { time, level: level.toLowerCase(), text };
  });
}
