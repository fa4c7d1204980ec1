import { readFileSync } from "node:fs";

import { WebAPIPlatformError } from "@slack/web-api";
import { expect, it } from "vitest";

import { CURES, LinkDisabled, toFault } from "#adapters/slack/send/refusal.ts";

const guide = readFileSync(new URL("../../../docs/slack.md", import.meta.url), "utf8");

/** As the client rejects when Slack answers so. */
function refusal(error: string): Error {
  return new WebAPIPlatformError({ ok: false, error });
}

it.each(Object.keys(CURES))("[slack.transports] says what to do about %s, and so does the guide", (code) => {
  const fault = toFault(code === "link_disabled" ? new LinkDisabled() : refusal(code));
  expect(fault).toMatchObject({ code, isFinal: true, message: expect.stringContaining(CURES[code] ?? "?") });
  expect(guide).toContain(`| \`${code}\``);
});

it("[slack.transports] tries again soon what may pass", () => {
  expect(toFault(refusal("internal_error"))).toMatchObject({ code: "internal_error", isFinal: false });
  expect(toFault(new Error("connect ECONNREFUSED"))).toEqual({
    code: "unreachable",
    message: "Slack does not answer: connect ECONNREFUSED",
    isFinal: false,
  });
  expect(toFault(undefined)).toMatchObject({ code: "unreachable", isFinal: false });
});
