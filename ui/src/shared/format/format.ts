import { localeTag, t } from "../i18n";

const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function number(value: number, digits: number): string {
  const key = `${localeTag()}/${digits}`;
  let format = numberFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(localeTag(), { minimumFractionDigits: digits, maximumFractionDigits: digits });
    numberFormats.set(key, format);
  }
  return format.format(value);
}

function date(at: Date, shape: Intl.DateTimeFormatOptions): string {
  const key = `${localeTag()}/${JSON.stringify(shape)}`;
  let format = dateFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(localeTag(), shape);
    dateFormats.set(key, format);
  }
  return format.format(at);
}

/** A finished span: 12 ms, 8.4 s, 24 s, 1 min 12 s, 2 h 5 min. */
export function duration(milliseconds: number): string {
  const ms = Math.max(0, milliseconds);
  if (ms < 99.5) return t("format.milliseconds", { n: number(ms, 0) });
  if (ms < 9_950) return t("format.seconds", { n: number(ms / 1000, 1) });
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return t("format.seconds", { n: number(seconds, 0) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("format.minutes", { n: number(minutes, 0), seconds: number(seconds % 60, 0) });
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return t("format.hours", { n: number(hours, 0), minutes: number(minutes % 60, 0) });
  return t("format.days", { n: number(Math.floor(hours / 24), 0), hours: number(hours % 24, 0) });
}

/** A span that still grows, in whole seconds: 12 s, 1 min 3 s. */
export function wholeSeconds(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  return seconds < 60 ? t("format.seconds", { n: number(seconds, 0) }) : duration(seconds * 1000);
}

/** A running clock: 0:48, 1:12, 1:02:03. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  const pad = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** A size in binary units: 512 B, 1.5 KiB, 64 MiB. */
export function bytes(size: number): string {
  const units = ["format.kibibytes", "format.mebibytes", "format.gibibytes", "format.tebibytes"] as const;
  if (size < 1024) return t("format.bytes", { n: number(size, 0) });
  let value = size / 1024;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = value < 9.95 && Math.round(value * 10) % 10 !== 0 ? 1 : 0;
  return t(units[unit] ?? "format.tebibytes", { n: number(value, digits) });
}

/** A share between 0 and 1: 38 %. */
export function percent(share: number): string {
  return t("format.percent", { n: number(Math.round(share * 100), 0) });
}

export function count(value: number): string {
  return number(value, 0);
}

/** A number of tokens: 950, 1.2k, 128k, 1M. */
export function tokens(value: number): string {
  if (value < 1000) return number(value, 0);
  const short = (scaled: number) => number(scaled, scaled < 9.95 && Math.round(scaled * 10) % 10 !== 0 ? 1 : 0);
  return value < 999_500
    ? t("format.thousands", { n: short(value / 1000) })
    : t("format.millions", { n: short(value / 1_000_000) });
}

/** An amount in US dollars; fractions of a cent are not hidden as zero. */
export function money(dollars: number): string {
  const digits = dollars > 0 && dollars < 0.01 ? 4 : 2;
  return `$${number(dollars, digits)}`;
}

/** Time of day in 24 hours: 14:05. */
export function clock(at: Date): string {
  return date(at, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

/** Full point in time, for titles of short ones. */
export function dateTime(at: Date): string {
  return date(at, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

/** Days between two points by the calendar, not by 24 hours. */
export function calendarDays(from: Date, to: Date): number {
  const day = (at: Date) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
  return Math.round((day(to) - day(from)) / 86_400_000);
}

/** Time in a list, short: now, 14:05, Mon, 3 Dec, 3 Dec 2024. */
export function listTime(at: Date, now: Date): string {
  if (Math.abs(now.getTime() - at.getTime()) < 60_000) return t("format.now");
  const days = calendarDays(at, now);
  if (days === 0) return clock(at);
  if (days > 0 && days < 7) return date(at, { weekday: "short" });
  if (at.getFullYear() === now.getFullYear()) return date(at, { day: "numeric", month: "short" });
  return date(at, { day: "numeric", month: "short", year: "numeric" });
}

/** Date of a divider: Monday, 3 December. */
export function longDate(at: Date, now: Date): string {
  const shape: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long" };
  return date(at, at.getFullYear() === now.getFullYear() ? shape : { ...shape, year: "numeric" });
}
