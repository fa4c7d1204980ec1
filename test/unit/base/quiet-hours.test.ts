import { describe, expect, it } from "vitest";

import { isTimeZone, minutesOf, quietUntil } from "#src/base/quiet-hours.ts";

const night = { from: 20 * 60, to: 7 * 60, zone: "Europe/Berlin" };
const until = (hours: Parameters<typeof quietUntil>[0], now: string): string | undefined => {
  const end = quietUntil(hours, Date.parse(now));
  return end === undefined ? undefined : new Date(end).toISOString();
};

describe("[card.notify] quiet hours", () => {
  it.each([
    ["2026-11-22T18:59:59Z", undefined],
    ["2026-11-22T19:00:00Z", "2026-11-23T06:00:00.000Z"],
    ["2026-11-23T05:59:59Z", "2026-11-23T06:00:00.000Z"],
    ["2026-11-23T06:00:00Z", undefined],
    // The clock goes back at 01:00 UTC, and forward in spring.
    ["2026-10-24T20:30:00Z", "2026-10-25T06:00:00.000Z"],
    ["2026-03-28T20:30:00Z", "2026-03-29T05:00:00.000Z"],
  ])("of a night at %s end at %s", (now, end) => {
    expect(until(night, now)).toBe(end);
  });

  it("of a part of a day end on that day", () => {
    const noon = { from: 12 * 60, to: 13 * 60 + 30, zone: "Asia/Kolkata" };
    expect(until(noon, "2026-11-22T06:29:00Z")).toBeUndefined();
    expect(until(noon, "2026-11-22T07:00:30Z")).toBe("2026-11-22T08:00:00.000Z");
  });

  it("are read from times and zones that there are", () => {
    expect(["07:30", "24:00", "7:30", ""].map(minutesOf)).toEqual([450, undefined, undefined, undefined]);
    expect(["Europe/Berlin", "Berlin"].map(isTimeZone)).toEqual([true, false]);
  });
});
