import type { AppError } from "../../bindings/protocol";
import { translate } from "./index";

/** What failed, in the person's language where the catalogue has the sentence, else as the core wrote it. */
export function failureText(error: AppError): string {
  return translate(error.key, error.values, error.message);
}
