import { expect, it } from "vitest";

import { createDrafts, type Draft } from "#adapters/slack/drafts.ts";
import { namesStranger } from "#adapters/slack/strangers.ts";

const nobody = { approval: none, question: none, turn: none };

function none(): Promise<undefined> {
  return Promise.resolve(undefined);
}

it("[slack.transports] takes no window or button whose draft is another workspace's", async () => {
  const kept = new Map<string, Draft>();
  const drafts = createDrafts({
    get: (key) => Promise.resolve(kept.get(key)),
    set: (key, draft) => Promise.resolve(kept.set(key, draft)),
  });
  const id = await drafts.keep({
    team: "T1",
    channel: "C1",
    message: "/jira create",
    about: { kind: "call", call: { tool: "jira.create_issue", args: {} } },
  });
  const names = (body: unknown, own: string): Promise<boolean> =>
    namesStranger(body, (team) => Promise.resolve(team === own), nobody, drafts);
  const window = { view: { private_metadata: id } };
  const button = { actions: [{ value: id }] };
  expect([await names(window, "T1"), await names(button, "T1")]).toEqual([false, false]);
  expect([await names(window, "T2"), await names(button, "T2")]).toEqual([true, true]);
});
