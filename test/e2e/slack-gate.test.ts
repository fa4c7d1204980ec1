import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { messageShape } from "#test/fakes/slack/shapes.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Fields, Message } from "#test/fakes/slack/types.ts";

import {
  areWhole,
  ASKED,
  gateConfig,
  idIn,
  type Kept,
  NAMES,
  type Names,
  onlyGrant,
  SECRET,
  SLACK_NAMES,
  stateOf,
  valueOf,
} from "./gate-table.ts";
import { ended, fillIn } from "./slack-desk.ts";
import { answerTo, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, type LogLine, type HostedProduct, temporaryFolder } from "./support.ts";

let slack: FakeSlack;
let product: HostedProduct;
let card: Message;
let granted: Message;
let kept: Kept;
/** A message of the bot in each of the wrong places. */
let elsewhere: { place: string; message: Message }[];

beforeAll(async () => {
  slack = await startSlackWorkspace();
  product = await startBot(slack, { config: await gateConfig(await temporaryFolder(), {}) });
  const ask = (text: string, words: string): Promise<Message> =>
    answerTo(slack, slack.user("ana").mention("ops-private", text), words);
  granted = await ask(ASKED.granted, "cs:approve");
  await fillIn(slack, { by: "ben", card: granted, button: "Approve for a while" }, {});
  await ended(slack, granted, "Approved by");
  card = await ask(ASKED.request, "cs:approve");
  const unfilled = await ask(ASKED.unfilled, "cs:fill_in");
  await slack.user("ana").click(unfilled.ts, "Fill in");
  const form = await slack.until(() => slack.modal("ana"));
  kept = {
    request: idIn(card.blocks, "appr"),
    turn: idIn((await ask(ASKED.turn, "cs:menu")).blocks, "turn"),
    unfilled: idIn(unfilled.blocks, "turn"),
    question: idIn((await ask(ASKED.question, "csq:form")).blocks, "ques"),
    running: idIn((await ask(ASKED.running, "cs:stop")).blocks, "turn"),
    grant: onlyGrant(product),
    form: String(form["private_metadata"]),
  };
  slack.user("emi").say("dm", "/desk found name=x");
  elsewhere = [
    {
      place: "another channel",
      message: await answerTo(slack, slack.user("emi").mention("general", "/desk found name=x"), "cs:menu"),
    },
    {
      place: "a direct message",
      message: await slack.until(() =>
        slack.messages(slack.dm("emi").id).find(({ blocks }) => says(blocks, "cs:menu")),
      ),
    },
  ];
}, 90_000);

afterAll(() => cleanUpAll());

const ALL = [
  ...Object.entries(NAMES).map(([action, names]) => [`cs:${action}`, names] as const),
  ...Object.entries(SLACK_NAMES).map(([action, names]) => [`csq:${action}`, names] as const),
] satisfies (readonly [string, Names])[];

const shortOf = (action: string): string => action.replace(/^csq?:/, "");

function actionOf(action: string, value: string): Fields {
  return { type: "button", action_id: action, block_id: "b", value, text: { type: "plain_text", text: "x" } };
}

function blocksWith(action: Fields): Fields[] {
  return [{ type: "actions", block_id: "b", elements: [action] }];
}

/** A press in a message; the button stands in it unless `isMissing`. */
async function press(
  by: string,
  message: Message,
  action: Fields,
  isMissing = false,
  more: Fields = {},
): Promise<void> {
  const { blocks = [] } = message;
  const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
  const shown = { ...message, blocks: isMissing ? blocks : [...blocks, ...blocksWith(action)] } as Message;
  await slack.user(by).forge({
    type: "block_actions",
    container: {
      type: "message",
      message_ts: message.ts,
      channel_id: message.channel,
      is_ephemeral: false,
      ...thread,
    },
    channel: { id: message.channel, name: "x" },
    message: messageShape(slack.world, shown),
    state: { values: {} },
    response_url: "",
    actions: [action],
    ...more,
  });
}

function isAway(line: LogLine, by: string, action: string, channel?: string): boolean {
  return (
    String(line["msg"]).startsWith("a click named something of another place") &&
    line["user"] === slack.user(by).id &&
    (line["actions"] as string[])[0] === action &&
    line["channel"] === channel
  );
}

/** Everything that only this person was shown. */
function shownTo(name: string): string {
  return JSON.stringify([slack.ephemerals(name), slack.modal(name) ?? ""]);
}

describe("a press", () => {
  it("has a row for every button that the adapters know", () => {
    expect(areWhole()).toBe(true);
    expect(Object.values(kept)).not.toContain("");
  });

  it("from elsewhere, or of a button that its message does not have, reads nothing and does nothing", async () => {
    const before = stateOf(product, kept);
    for (const [id, names] of ALL) {
      const action = actionOf(id, valueOf(shortOf(id), names, kept));
      for (const { message } of elsewhere) {
        await press("emi", message, action);
        if (names !== "nothing") await product.line((line) => isAway(line, "emi", id, message.channel));
      }
      // A member of the channel, with a message that has no such button.
      await press("ben", granted, action, true);
      await product.line((line) => isAway(line, "ben", id, granted.channel));
      // The workspace is another one, that this app is not in.
      await press("emi", card, action, false, { team: { id: "T0OTHER000", domain: "other" } });
    }
    expect(shownTo("emi")).not.toMatch(SECRET);
    expect(shownTo("emi")).toContain("This is no longer there.");
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("in a window shows what is of a channel of the person, and of no other", async () => {
    const before = stateOf(product, kept);
    for (const [id, names] of ALL.filter(([, one]) => one !== "nothing")) {
      const action = actionOf(id, valueOf(shortOf(id), names, kept));
      const metadata = JSON.stringify({ view: "details", ref: `a:${kept.request}` });
      const view = { id: "V1", type: "modal", private_metadata: metadata, blocks: blocksWith(action) };
      await slack.user("emi").forge({ type: "block_actions", view, container: {}, actions: [action] });
      await product.line((line) => isAway(line, "emi", id));
    }
    expect(shownTo("emi")).not.toMatch(SECRET);
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("of a window that is sent by somebody of elsewhere does nothing, and says so", async () => {
    const before = stateOf(product, kept);
    const windows = [
      ["cs:desk", JSON.stringify({ topic: { about: "reason", approvalId: kept.request, decision: "deny" } })],
      ["cs:draft", kept.form],
      ["csq:answer", kept.question],
    ] as const;
    for (const [callback, metadata] of windows) {
      const view = {
        id: "V2",
        type: "modal",
        callback_id: callback,
        private_metadata: metadata,
        blocks: [],
        state: { values: {} },
      };
      const outcome = await slack.user("emi").forge({ type: "view_submission", view });
      expect(outcome).toMatchObject({ ok: true, response: { response_action: "update" } });
      expect(JSON.stringify(outcome)).not.toMatch(SECRET);
    }
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("in the home asks in the direct conversation of the person alone", async () => {
    const before = stateOf(product, kept);
    const action = actionOf("cs:prompt", "/desk found name=kept-secret");
    const view = { id: "V3", type: "home", private_metadata: card.channel, blocks: blocksWith(action) };
    await slack.user("emi").forge({ type: "block_actions", view, container: {}, actions: [action] });
    await product.line((line) => isAway(line, "emi", "cs:prompt"));
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("in its own place is taken, for every button", async () => {
    for (const [id, names] of ALL) {
      const action = actionOf(id, valueOf(shortOf(id), names, kept));
      await press("ana", names === "grant" ? granted : card, action);
    }
    // What is logged comes in order: with this one all others have come.
    await press("ana", granted, actionOf("cs:stop", kept.running), true);
    await product.line((line) => isAway(line, "ana", "cs:stop", granted.channel));
    const away = product.log.filter(
      ({ msg, user }) => String(msg).startsWith("a click named") && user === slack.user("ana").id,
    );
    expect(away).toHaveLength(1);
  });
});
