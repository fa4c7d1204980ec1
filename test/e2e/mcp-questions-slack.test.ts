import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { root } from "#test/fakes/mcp-box.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import { answerTo, channelApproves, says, startBot, startSlackWorkspace } from "./slack-support.ts";
import { cleanUp, cleanUpAll } from "./support.ts";

let slack: FakeSlack;

beforeAll(async () => {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  slack = await startSlackWorkspace();
  await startBot(slack, {
    config: {
      ...channelApproves(),
      model: { provider: "builtin" },
      servers: [
        { name: "shop", url },
        { name: "fault", command: ["node", "test/fakes/mcp-fault.ts"] },
      ],
      policy: { rules: [{ tools: ["*"], decision: "allow", idempotent: true }] },
      views: {},
      commands: {
        shop: { server: "shop", subcommands: { confirm: "confirm", visit: "visit" } },
        fault: { server: "fault", subcommands: { image: "image" } },
      },
    },
  });
}, 60_000);

afterAll(cleanUpAll);

describe("a server's question on Slack", () => {
  it("[mcp.elicit] is a button that opens a form, for the person who asked only", async () => {
    const question = slack.user("ana").mention("general", "/shop confirm what=jump");
    const message = await answerTo(slack, question, "csq:form");
    expect(says(message.blocks, "shop asks: Really jump?")).toBe(true);

    await slack.user("ben").click(message.ts, "Answer");
    const told = await slack.until(() => slack.ephemerals("ben").at(-1));
    expect(told.text).toContain("Only the person");
    expect(slack.modal("ben")).toBeUndefined();

    await slack.user("ana").click(message.ts, "Answer");
    const form = await slack.until(() => slack.modal("ana"));
    expect(await slack.user("ana").submit(form, { Sure: "Yes", Why: "I can" })).toMatchObject({
      result: "closed",
    });
    await slack.until(() => says(message.blocks, "I can") && !says(message.blocks, "csq:"));
  });

  it("[mcp.elicit] shows the domain of a link, and can be declined", async () => {
    const question = slack.user("ana").mention("general", "/shop visit url=https://sign-in.example.com/a");
    const message = await answerTo(slack, question, "csq:opened");
    expect(says(message.blocks, "a page at sign-in.example.com")).toBe(true);
    await slack.user("ana").click(message.ts, "Decline");
    await slack.until(() => says(message.blocks, "decline") && !says(message.blocks, "csq:"));
  });

  it("uploads a picture that a call brought to the turn's thread, once", async () => {
    const question = slack.user("ana").mention("general", "/fault image");
    await answerTo(slack, question, "Run log");
    const [file] = await slack.until(() => slack.files().length > 0 && slack.files());
    expect(file).toMatchObject({ name: "image-1.png", thread: question.ts });
    await slack.settled();
    expect(slack.files()).toHaveLength(1);
  });

  it("sends nothing that Slack would refuse", () => {
    expect(slack.sent.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
