import { expect, it } from "vitest";

import { parseEvent } from "#adapters/slack/receive/event.ts";
import type { Source } from "#adapters/slack/install/client.ts";

function sourceOf(body: unknown): Source | undefined {
  const event = parseEvent(body);
  return event === undefined || event.kind === "odd" ? undefined : event.source;
}

const event = (more: object): object => ({ type: "event_callback", team_id: "T1", event: {}, ...more });
const user = { id: "U1", team_id: "T9" };

it.each([
  ["an event", event({}), { team: "T1" }],
  [
    "an event of a shared channel, by whose bot hears it",
    event({ authorizations: [{ team_id: "T2", enterprise_id: null, is_enterprise_install: false }] }),
    { team: "T2" },
  ],
  [
    "an event of a workspace in an organisation, which has the app for itself",
    event({ authorizations: [{ team_id: "T1", enterprise_id: "E1", is_enterprise_install: false }] }),
    { team: "T1" },
  ],
  [
    "an event by way of an organisation",
    event({ authorizations: [{ team_id: null, enterprise_id: "E1", is_enterprise_install: true }] }),
    { team: "T1", org: "E1" },
  ],
  ["a command", { command: "/ask", team_id: "T1", is_enterprise_install: "false" }, { team: "T1" }],
  [
    "a command by way of an organisation",
    { command: "/ask", team_id: "T1", enterprise_id: "E1", is_enterprise_install: "true" },
    { team: "T1", org: "E1" },
  ],
  ["a click", { type: "block_actions", team: { id: "T1" }, user }, { team: "T1" }],
  [
    "a click by way of an organisation",
    { type: "block_actions", team: null, enterprise: { id: "E1" }, is_enterprise_install: true, user },
    { team: "T9", org: "E1" },
  ],
  [
    "a window that somebody of another workspace sends",
    { type: "view_submission", team: { id: "T9" }, user, view: { app_installed_team_id: "T1" } },
    { team: "T1" },
  ],
])("[slack.transports] knows for whom Slack sends %s", (_, body, source) => {
  expect(sourceOf(body)).toEqual({ org: undefined, ...source });
});

it("[slack.transports] knows none in what is no message of Slack", () => {
  for (const body of [undefined, null, "", [], {}, { type: "event_callback" }]) {
    expect(sourceOf(body)?.team).toBeUndefined();
  }
});
