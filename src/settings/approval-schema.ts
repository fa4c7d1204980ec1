import { z } from "zod";

import { isTimeZone, minutesOf, type QuietHours } from "../base/quiet-hours.ts";
import { duration } from "./values.ts";

const timeOfDay = z
  .string()
  .refine((text) => minutesOf(text) !== undefined, { error: 'a time of the day such as "20:00"' })
  .transform((text) => minutesOf(text) ?? 0);

const quietHours = z
  .strictObject({
    from: timeOfDay.describe('Such as "20:00".'),
    to: timeOfDay.describe('Such as "07:00"; before from: on the next day.'),
    zone: z
      .string()
      .refine(isTimeZone, { error: "a time zone such as Europe/Berlin" })
      .describe("Of these times, such as Europe/Berlin."),
  })
  .refine(({ from, to }) => from !== to, { error: "two different times" })
  .transform((hours): QuietHours => hours)
  .describe("Notices wait until these hours end, but for what would expire before.");

const notify = z
  .enum(["mention", "dm", "channel", "none"])
  .describe(
    "How people are told of approvals: mentioned in the thread, by direct message, in the channel itself, or not.",
  );

/** When people are reminded of a request that waits. */
export const remindSchema = z.union([z.enum(["auto", "off"]), duration], {
  error: "auto, off or a time such as 30m",
});

/** What one channel may set for itself; what it leaves out is as for all. */
export const channelApprovalsSchema = z.strictObject({
  notify: notify.exactOptional(),
  quiet_hours: quietHours.exactOptional(),
  remind: remindSchema
    .exactOptional()
    .describe("How long before a request expires people are reminded: auto, off or 30m."),
});

export const approvalsSchema = channelApprovalsSchema.extend({
  notify: notify.default("mention"),
  remind: remindSchema
    .default("auto")
    .describe(
      "How long before a request expires people are reminded, where its rule does not say: auto (at half of its time), off or 30m.",
    ),
});
