import type { AppError } from "../../bindings/protocol";
import { translate } from "./index";

/** What failed, in the person's language where the catalogue has the sentence, else as the core wrote it. */
export function failureText(error: AppError): string {
  // The core writes its sentences the way error chains want them: lower case, no full stop.
  const text = translate(error.key, error.values, error.message);
  // An address, a path or a name at the beginning is no word of the sentence.
  const beginsWithWord = /^\p{Ll}\p{L}*(?=[\s,;]|$)/u.test(text);
  return beginsWithWord ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** What failed and what to do now, as running text. */
export function failureProse(error: AppError): string {
  const text = failureText(error);
  if (error.hint === null) return text;
  return `${/[.!?]$/.test(text) ? text : `${text}.`} ${error.hint}`;
}
