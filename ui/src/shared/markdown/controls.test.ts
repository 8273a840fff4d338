import { expect, test } from "vitest";
import { withoutControls } from "./controls";

test("control characters of a model go, line ends and tabs stay", () => {
  expect(withoutControls("a\u001b[31mb\u0007\u009b\u0000c\td\r\ne\u007f")).toBe("a[31mbc\td\r\ne");
});
