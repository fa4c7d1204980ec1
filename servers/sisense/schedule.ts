import { ToolFailure } from "../kit/tool.ts";

const DAYS = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"].map((day) => ({
  day,
  short: day.slice(0, 3),
}));

interface Schedule {
  days?: string[] | undefined;
  hour?: number | undefined;
  minute?: number | undefined;
  interval_days?: number | undefined;
  interval_hours?: number | undefined;
  interval_minutes?: number | undefined;
}

/** A schedule for the API: at a time of some days, or every so often. */
export function scheduleOf(given: Schedule, buildType: string): Record<string, unknown> {
  const { days, hour, minute, interval_days: d = 0, interval_hours: h = 0, interval_minutes: m = 0 } = given;
  const seconds = d * 86_400 + h * 3600 + m * 60;
  if (seconds > 0) {
    if (days !== undefined || hour !== undefined || minute !== undefined)
      throw new ToolFailure(
        "bad_arguments",
        "expected either days, hour and minute, or an interval, got both",
      );
    return { buildType, intervalSeconds: seconds };
  }
  if (days === undefined || hour === undefined) {
    throw new ToolFailure(
      "missing_arguments",
      "expected days and hour (with minute), such as [MON] and 6, or interval_days, interval_hours or interval_minutes",
    );
  }
  const wanted = days.map((day) => day.trim().toUpperCase());
  const numbers = wanted.includes("*")
    ? DAYS.map((_, at) => at)
    : wanted.map((text) => DAYS.findIndex(({ day, short }) => day === text || short === text));
  if (numbers.length === 0 || numbers.includes(-1))
    throw new ToolFailure(
      "bad_arguments",
      `days: expected some of ${DAYS.map(({ short }) => short).join(", ")}, or *, got ${days.join(", ") || "none"}`,
    );
  const all = wanted.includes("*") ? ["*"] : numbers.map((at) => DAYS[at]?.short ?? "");
  const cronString = `${minute ?? 0} ${hour} * * ${numbers.join(",")}`;
  return { buildType, cronString, daysOfWeek: all, hour, minute: minute ?? 0 };
}
