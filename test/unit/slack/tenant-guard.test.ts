import { expect, it } from "vitest";

import { keepDraft } from "#adapters/slack/interact/drafts.ts";
import type { Draft } from "#adapters/slack/options.ts";
import { type InteractionEvent, parseEvent } from "#adapters/slack/receive/event.ts";
import { guardPlace } from "#adapters/slack/receive/tenant-guard.ts";

function none(): Promise<undefined> {
  return Promise.resolve(undefined);
}

const core = {
  approval: none,
  question: none,
  turn: none,
  grant: none,
  approvalsFor: () => Promise.resolve([]),
};

it("[slack.transports] takes no window or button whose draft is another workspace's or another person's", async () => {
  const kept = new Map<string, Draft>();
  const draftStore = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    set: (key: string, draft: Draft) => Promise.resolve(kept.set(key, draft)),
  };
  const draft: Draft = {
    team: "T1",
    channel: "C1",
    actor: "slack:T1:U1",
    message: "/jira create",
    about: { kind: "call", call: { tool: "jira.create_issue", args: {} } },
  };
  const id = await keepDraft(draft, { draftStore });
  const names = async (body: object, team: string, user = "U1"): Promise<string | undefined> => {
    const event = parseEvent({ type: "block_actions", user: { id: user, team_id: team }, ...body });
    const guarded = await guardPlace(event as InteractionEvent, {
      core,
      draftStore,
      members: { inChannel: () => Promise.resolve(true) },
      isOwn: (named) => Promise.resolve(team === named),
    });
    return "refused" in guarded ? guarded.refused : undefined;
  };
  const window = { view: { type: "modal", private_metadata: id } };
  const button = { channel: { id: "C1" }, actions: [{ action_id: "cs:open_form", value: id }] };
  expect([await names(window, "T1"), await names(button, "T1")]).toEqual([undefined, undefined]);
  expect([await names(window, "T2"), await names(button, "T2")]).toEqual(["workspace", "workspace"]);
  expect([await names(window, "T1", "U2"), await names(button, "T1", "U2")]).toEqual(["place", "place"]);
  expect(await names({ ...button, channel: { id: "C2" } }, "T1")).toBe("place");
});
