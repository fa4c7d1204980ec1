import { describe, expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message } from "#test/fakes/slack/types.ts";

import { askChange, deskConfig, effects, ended, fillIn, told } from "./slack-desk.ts";
import { answerTo, says, startBot, startOwnBot, startSlackWorkspace } from "./slack-support.ts";
import { temporaryFolder } from "./support.ts";

describe("over signed HTTP", () => {
  it("[slack.approve] [slack.transports] approves, denies, edits, counts two, tells a guest", async () => {
    const slack = await startSlackWorkspace();
    const folder = await temporaryFolder();
    const product = await startBot(slack, { over: "http", config: deskConfig(folder) });
    const { slack_url: url } = await product.line((line) => typeof line.slack_url === "string");
    slack.overHttp(String(url));

    const approved = await askChange(slack, "/desk set name=plain value=http");
    await slack.user("farid").click(approved.ts, "cs:approve");
    await told(slack, "farid", approved, "guest");
    await slack.user("ben").click(approved.ts, "cs:approve");
    await ended(slack, approved, "Approved by");

    const denied = await askChange(slack, "/desk set name=unwanted value=1");
    await fillIn(slack, { by: "ben", card: denied, button: "Deny" }, { Reason: "not now" });
    await ended(slack, denied, "not now");

    const two = await askChange(slack, "/desk set name=two value=http");
    await slack.user("ben").click(two.ts, "cs:approve");
    await told(slack, "ben", two, "1 of 2");
    await slack.user("chloe").click(two.ts, "cs:approve");
    await ended(slack, two, "Approved by");

    const edited = await askChange(slack, "/desk set name=draft-1 value=1");
    await fillIn(slack, { by: "ben", card: edited, button: "Edit" }, { Name: "draft-2" });
    await slack.until(() => says(edited.blocks, "draft-2") && says(edited.blocks, "cs:approve"));
    await slack.user("chloe").click(edited.ts, "cs:approve");
    await ended(slack, edited, "cs:menu");
    await slack.user("emi").click(edited.ts, "cs:menu", "Show JSON");
    expect(says(await slack.until(() => slack.modal("emi")), "draft-2")).toBe(true);

    expect(effects(folder)).toEqual(["plain=http", "two=http", "draft-2=1"]);
  });
});

it(
  "[approve.durable] [card.notify] takes decisions on a killed process's cards, and tells people of each once",
  { timeout: 90_000 },
  async () => {
    const slack = await startSlackWorkspace();
    const [folder, dataDir] = [await temporaryFolder(), await temporaryFolder()];
    const options = { config: deskConfig(folder), dataDir };
    const dying = (point: string): object => ({ ...options, env: { COUNTERSIGN_FAIL_POINT: point } });
    const first = await startOwnBot(slack, dying("request.after:4"));
    const two = await askChange(slack, "/desk set name=two value=1");
    await slack.user("ben").click(two.ts, "cs:approve");
    await slack.until(() => says(two.blocks, "1 of 2 approvals"));
    const note = await askChange(slack, "/desk note about=CASE-1 body=first");
    const unwanted = await askChange(slack, "/desk set name=unwanted value=1");
    // The window was opened by the process that is gone.
    await slack.user("chloe").click(unwanted.ts, "Deny");
    const form = await slack.until(() => slack.modal("chloe"));
    // It is recorded, and nobody was told.
    const question = slack.user("ben").mention("general", "/desk set name=leads value=1");
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" });
    const notices = (): Message[] =>
      slack.thread(question.ts).filter(({ blocks }) => says(blocks, "Waiting for "));
    expect(notices()).toEqual([]);
    // Somebody was told, and that is not recorded; it may die before it says that it is ready.
    const second = await startOwnBot(slack, dying("notice.posted")).catch(() => undefined);
    await second?.ended;
    expect(notices()).toHaveLength(1);

    const third = await startBot(slack, options);
    expect(await slack.user("chloe").submit(form, { Reason: "after all" })).toMatchObject({
      result: "closed",
    });
    await ended(slack, unwanted, "after all");
    await slack.user("chloe").click(two.ts, "cs:approve");
    await ended(slack, two, /Ben Okafor and Chloé/);
    await fillIn(slack, { by: "ben", card: note, button: "Approve for a while" }, {});
    await ended(slack, note, "used 0 of 2 times");
    await slack.until(() => slack.calls.some(({ method }) => method === "conversations.replies"));
    const leads = await answerTo(slack, question, "cs:approve");
    await slack.user("chloe").click(leads.ts, "cs:approve");
    await ended(slack, leads, "Approved by");
    expect(effects(folder)).toEqual(["two=1", "CASE-1: first", "leads=1"]);
    expect(await third.stop()).toBe(0);
    expect(notices()).toHaveLength(1);
  },
);

describe("a turn of ten minutes", () => {
  /** Ten minutes of Slack's own limits pass in a second: triggers, addresses of commands, streams. */
  const SPEED = 600;

  async function start(): Promise<{ slack: FakeSlack; folder: string }> {
    const slack = await startSlackWorkspace({ speed: SPEED });
    const folder = await temporaryFolder();
    await startBot(slack, { config: deskConfig(folder) });
    return { slack, folder };
  }

  it("[slack.progress] that began with a command is edited to its end without its address", async () => {
    const { slack } = await start();
    await slack.user("ana").command("/ask", "/desk wait ms=1500 mark=after-ten-minutes", "general");
    const status = await slack.until(() =>
      slack.messages("general").find(({ blocks }) => says(blocks, "cs:stop")),
    );
    await slack.until(
      () => says(status.blocks, "after-ten-minutes") && says(status.blocks, "cs:menu"),
      20_000,
    );
    expect(slack.messages("general")).toHaveLength(1);
    expect(status.history.length).toBeGreaterThan(0);
    expect(slack.sent.filter(({ error }) => error !== undefined)).toEqual([]);
    expect([...new Set(slack.sent.map(({ method }) => method))].toSorted()).toEqual([
      "chat.postMessage",
      "chat.update",
    ]);
  });
});
