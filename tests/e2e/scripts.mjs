// @ts-check
// What scripted models do in more than one scenario.

/** The fixed file of the sample project. */
export const FIXED = `/** Words of a text, in lower case. */
export function words(text) {
  return text.toLowerCase().split(/ +/).filter(Boolean);
}
`;

/** Mends the sample project: reads, runs the tests, edits, runs them again, reports. */
export const MENDS = [
  { says: "I look at the code first.", calls: [call("read_file", { path: "src/words.js" })] },
  { calls: [run("touch ran; npm test")] },
  { calls: [call("write_file", { path: "src/words.js", content: FIXED })] },
  { calls: [run("npm test")] },
  { says: "Several blanks count as one now, and all tests pass." },
];

/** @param {string} tool @param {Record<string, unknown>} args */
export function call(tool, args) {
  return { tool, arguments: args };
}

/** @param {string} command */
export function run(command) {
  return call("terminal", { command });
}
