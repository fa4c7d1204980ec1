import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { signature } from "#test/fakes/slack/signed-http.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";

import {
  ACME,
  GLOBEX,
  health,
  install,
  type Installable,
  installing,
  startInstallable,
} from "./slack-install-support.ts";
import { answers, answerTo, says, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, storedIssues, temporaryFolder } from "./support.ts";

/** Somebody of Globex is named, so that only the workspace stands between them and the request. */
const HANK = "slack:T0GLOBEX00:U0HANKGLOBEX";
const config = (): object => {
  const base = installing(["T0ACME0000", "T0GLOBEX00"]) as { policy: { rules: object[] } };
  const rule = { tools: ["jira.create_issue"], decision: "ask", approvers: ["channel", HANK] };
  return { ...base, policy: { rules: [rule] } };
};

let slack: FakeSlack;
let product: Installable;
let dataDir: string;

beforeAll(async () => {
  dataDir = await temporaryFolder();
  slack = await startSlackWorkspace({ teams: [ACME, GLOBEX] });
  product = await startInstallable(slack, { over: "http", config: config(), dataDir });
});

afterAll(() => cleanUpAll());

describe("[slack.transports] several workspaces", () => {
  it("[slack.transports] install the app over OAuth, each with a token of its own", async () => {
    for (const [domain, name] of [
      ["acme", "Acme"],
      ["globex", "Globex"],
    ] as const) {
      const { status, page } = await install(product, domain);
      expect([status, page]).toEqual([200, expect.stringContaining(`Countersign is in ${name}`)]);
    }
    expect(slack.team("acme").botToken).not.toBe(slack.team("globex").botToken);
    expect((await health(product)).surfaces).toEqual({ slack: { status: "up" } });
  });

  it("[slack.transports] are answered each with their own token", async () => {
    const questions = [
      slack.user("ana").mention("general", "show me DEMO-1"),
      slack.user("hank", "globex").mention("general", "show me DEMO-2"),
    ] as const;
    const [first, second] = [
      await answerTo(slack, questions[0], "DEMO-1"),
      await answerTo(slack, questions[1], "DEMO-2"),
    ];
    expect([first.team, second.team]).toEqual([slack.team("acme").id, slack.team("globex").id]);
    for (const team of [slack.team("acme"), slack.team("globex")]) {
      const posts = slack.calls.filter(
        ({ method, args }) =>
          method.startsWith("chat.") && slack.world.channels.get(String(args.channel))?.team === team.id,
      );
      expect(posts.length).toBeGreaterThan(0);
      expect(new Set(posts.map(({ token }) => token))).toEqual(new Set([team.botToken]));
    }
    expect(
      slack.calls.flatMap(({ method, error }) => (error === undefined ? [] : [`${method}: ${error}`])),
    ).toEqual([]);
  });

  it("[slack.transports] keep people and requests of one away from the other", async () => {
    const question = slack.user("ana").mention("general", "create an issue in DEMO titled 'Of Acme alone'");
    const card = await answerTo(slack, question, "cs:approve");
    const approvalId = /appr_[0-9A-Z]{26}/.exec(JSON.stringify(card.blocks))?.[0] ?? "";
    const turnId = /turn_[0-9A-Z]{26}/.exec(JSON.stringify(card.blocks))?.[0] ?? approvalId;

    const before = slack.calls.length;
    for (const [action, value] of [
      ["cs:approve", approvalId],
      ["cs:deny", approvalId],
      ["cs:details", approvalId],
      ["cs:show_json", turnId],
      ["cs:stop", turnId],
    ] as const) {
      expect(await press(action, value)).toBe(200);
    }
    await product.line((line) => String(line.msg).includes("of another workspace"));
    // The bot showed nobody of Globex anything.
    expect(slack.calls.slice(before).filter(({ token }) => token === slack.team("globex").botToken)).toEqual(
      [],
    );
    expect(storedIssues(dataDir, "Of Acme alone")).toEqual([]);

    expect(await slack.user("ben").click(card.ts, "cs:approve")).toMatchObject({ ok: true });
    await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
    expect(storedIssues(dataDir, "Of Acme alone")).toHaveLength(1);
  });
});

describe("[slack.transports] several workspaces, after a restart", () => {
  let firstLog: string;

  beforeAll(async () => {
    await product.stop();
    firstLog = JSON.stringify(product.log);
    product = await startInstallable(slack, { over: "http", config: config(), dataDir });
  });

  it("[slack.transports] are still there, and their tokens nowhere in the clear", async () => {
    const stored = readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
    expect(stored.some((bytes) => bytes.includes("slack-installations"))).toBe(true);
    for (const token of tokensNow()) {
      expect(stored.filter((bytes) => bytes.includes(token))).toEqual([]);
      expect(firstLog).not.toContain(token);
    }

    const questions = [
      slack.user("ana").mention("general", "show me DEMO-3"),
      slack.user("hank", "globex").mention("general", "show me DEMO-4"),
    ] as const;
    await answerTo(slack, questions[0], "DEMO-3");
    await answerTo(slack, questions[1], "DEMO-4");
  });

  it("[slack.transports] are forgotten when they uninstall the app, and nobody else is", async () => {
    slack.uninstall("globex");
    await product.line((line) => String(line.msg).includes("uninstalled from Globex"));
    // What was on its way when the app was removed.
    slack.team("globex").botToken = "xoxb-of-nobody";
    const late = slack.user("hank", "globex").mention("general", "show me DEMO-5");
    await product.line((line) => String(line.msg).includes("not installed in"));
    const question = slack.user("ana").mention("general", "show me DEMO-6");
    await answerTo(slack, question, "DEMO-6");
    await slack.settled();
    expect(answers(slack, late)).toEqual([]);
    slack.team("globex").botToken = "";
  });

  it("[slack.transports] can come back, and an old word of their leaving changes nothing", async () => {
    const gone = slack.deliveries.find(({ payload }) => says(payload, "app_uninstalled"));
    expect((await install(product, "globex")).status).toBe(200);
    await slack.replay(gone?.eventId ?? "");
    await product.line((line) => String(line.msg).includes("installed anew"));
    const question = slack.user("ivy", "globex").mention("general", "show me DEMO-7");
    await answerTo(slack, question, "DEMO-7");
  });
});

function tokensNow(): string[] {
  return ["acme", "globex"].map((domain) => slack.team(domain).botToken);
}

/** What Slack would send if somebody of Globex had a button with another workspace's request. */
async function press(action: string, value: string): Promise<number> {
  const team = slack.team("globex");
  const hank = slack.user("hank", "globex");
  const channel = slack.channel("general", "globex").id;
  const payload = {
    type: "block_actions",
    team: { id: team.id, domain: team.domain },
    user: { id: hank.id, team_id: team.id },
    api_app_id: slack.app.id,
    container: { type: "message", message_ts: "1.0", channel_id: channel },
    channel: { id: channel, name: "general" },
    message: { ts: "1.0" },
    trigger_id: "1.2",
    is_enterprise_install: false,
    actions: [{ type: "button", action_id: action, block_id: "b", value, action_ts: "1.0" }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = Math.floor(Date.now() / 1000);
  const response = await fetch(`${product.origin}/slack/events`, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": String(timestamp),
      "x-slack-signature": signature(slack.app.signingSecret, timestamp, body),
    },
  });
  return response.status;
}
