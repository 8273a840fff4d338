import type { AppError } from "../../bindings/protocol";
import { translate } from "./index";

/** What failed, in the person's language where the catalogue has the sentence, else as the core wrote it. */
export function failureText(error: AppError): string {
  // The core writes its sentences the way error chains want them: lower case, no full stop.
  const text = translate(error.key, error.values, error.message);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
