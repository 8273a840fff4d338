/** Control characters that show nothing and could only confuse: all of C0 and C1 but tab and line ends, and DEL. */
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** A model's text without control characters. The same text again when it has none. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, "");
}
