import { expect, it } from "vitest";

import { remindMsOf } from "#src/policy/policy.ts";

import { loadText, problemsOf } from "./write-config.ts";

it("[card.notify] people are mentioned and reminded unless the settings say otherwise, per channel too", async () => {
  expect((await loadText("{}")).approvals).toEqual({ notify: "mention", remind: "auto" });
  const { approvals, channels } = await loadText(`
approvals: { notify: dm, remind: off, quiet_hours: { from: "20:00", to: "07:00", zone: Europe/Berlin } }
channels: { "slack:T1:C1": { approvals: { notify: none, remind: 30m } } }
`);
  const quietHours = { from: 1_200, to: 420, zone: "Europe/Berlin" };
  expect(approvals).toEqual({ notify: "dm", remind: "off", quiet_hours: quietHours });
  expect(channels["slack:T1:C1"]?.approvals).toEqual({ notify: "none", remind: 1_800_000 });
});

it.each([
  ["notify: everybody", "notify", "one of mention, dm, channel, none"],
  ["remind: soon", "remind", "auto, off or a time such as 30m"],
  [
    'quiet_hours: { from: "8pm", to: "07:00", zone: UTC }',
    "quiet_hours.from",
    'a time of the day such as "20:00"',
  ],
  ['quiet_hours: { from: "20:00", to: "20:00", zone: UTC }', "quiet_hours", "two different times"],
  [
    'quiet_hours: { from: "20:00", to: "07:00", zone: Berlin }',
    "quiet_hours.zone",
    "a time zone such as Europe/Berlin",
  ],
])("[card.notify] approvals refuse %s", async (text, path, expected) => {
  expect(await problemsOf(`approvals: { ${text} }`)).toEqual([
    expect.objectContaining({ path: `approvals.${path}`, expected: expect.stringContaining(expected) }),
  ]);
});

it.each([
  ["auto", 24 * 60, 12 * 60],
  ["auto", 20, 15],
  ["auto", 19, undefined],
  ["off", 24 * 60, undefined],
  [30 * 60_000, 24 * 60, 30],
  [30 * 60_000, 30, undefined],
] as const)(
  "[card.notify] with %s a request of %i minutes is reminded of %s minutes before its end",
  (remind, ttl, before) => {
    expect(remindMsOf(remind, ttl * 60_000)).toBe(before === undefined ? undefined : before * 60_000);
  },
);
