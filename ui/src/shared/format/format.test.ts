import { expect, test } from "vitest";
import { bytes, calendarDays, clock, duration, elapsed, listTime, money, percent, tokens, wholeSeconds } from ".";

test("spans carry a unit and drop digits as they grow", () => {
  expect([0, 12, 99.4, 99.6, 8_400, 6_000, 9_949, 9_951, 41_000, 59_600, 72_000, 7_500_000, 90_000_000].map(duration)).toEqual([
    "0 ms", "12 ms", "99 ms", "0.1 s", "8.4 s", "6.0 s", "9.9 s", "10 s", "41 s", "1 min 0 s", "1 min 12 s", "2 h 5 min", "1 d 1 h",
  ]); // prettier-ignore
});

test("a growing span counts whole seconds", () => {
  expect([0, 1_999, 12_300, 63_900].map(wholeSeconds)).toEqual(["0 s", "1 s", "12 s", "1 min 3 s"]);
  expect([48_000, 72_999, 3_723_000].map(elapsed)).toEqual(["0:48", "1:12", "1:02:03"]);
});

test("sizes are binary and change the unit before four digits", () => {
  expect([0, 1023, 1024, 1536, 10_240, 1_048_064, 67_108_864, 5e13].map(bytes)).toEqual([
    "0 B", "1,023 B", "1 KiB", "1.5 KiB", "10 KiB", "1 MiB", "64 MiB", "45 TiB",
  ]); // prettier-ignore
});

test("shares, tokens and money", () => {
  expect([0.384, 1].map(percent)).toEqual(["38 %", "100 %"]);
  expect([950, 1_200, 128_000, 999_600].map(tokens)).toEqual(["950", "1.2k", "128k", "1M"]);
  expect([0.42, 0.0012, 0].map(money)).toEqual(["$0.42", "$0.0012", "$0.00"]);
});

test("times in lists are as short as their distance allows", () => {
  const now = new Date(2026, 5, 17, 14, 30);
  expect(clock(new Date(2026, 5, 17, 0, 5))).toBe("00:05");
  expect(listTime(new Date(2026, 5, 17, 14, 29, 30), now)).toBe("now");
  expect(listTime(new Date(2026, 5, 17, 9, 3), now)).toBe("09:03");
  expect(listTime(new Date(2026, 5, 16, 23, 59), now)).toBe("Tue");
  expect(listTime(new Date(2026, 2, 3), now)).toBe("Mar 3");
  expect(listTime(new Date(2024, 2, 3), now)).toBe("Mar 3, 2024");
  expect(calendarDays(new Date(2026, 5, 16, 23, 59), new Date(2026, 5, 17, 0, 1))).toBe(1);
});
