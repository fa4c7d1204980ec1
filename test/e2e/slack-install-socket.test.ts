import { afterAll, beforeAll, expect, it } from "vitest";

import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { TeamSeed } from "#test/fakes/slack/world.ts";

import {
  ACME,
  GLOBEX,
  install,
  type Installable,
  installing,
  startInstallable,
} from "./slack-install-support.ts";
import { answers, answerTo, says, startSlackWorkspace } from "./slack-support.ts";
import { cleanUpAll, storedIssues } from "./support.ts";

/** Two workspaces of one organisation, which installs the app for both. */
const NORTH: TeamSeed = { ...GLOBEX, domain: "north", name: "North", org: "initech" };
const SOUTH: TeamSeed = { ...GLOBEX, domain: "south", name: "South", org: "initech" };

let slack: FakeSlack;
let product: Installable;

beforeAll(async () => {
  slack = await startSlackWorkspace({ teams: [ACME, GLOBEX, NORTH, SOUTH] });
  const config = installing(["T0ACME0000", "E0INITECH0"]);
  product = await startInstallable(slack, { over: "socket", config });
});

afterAll(() => cleanUpAll());

it("[slack.transports] installs over OAuth beside Socket Mode, on loopback alone", async () => {
  expect((await install(product, "acme")).status).toBe(200);
  const question = slack.user("ana").mention("general", "show me DEMO-1");
  await answerTo(slack, question, "DEMO-1");
  expect(product.origin).toMatch(/^http:\/\/127\.0\.0\.1:/);
  // Nothing unsigned gets in beside the socket.
  const body = JSON.stringify({ type: "event_callback", team_id: "T0ACME0000", event_id: "Ev1", event: {} });
  const forged = await fetch(`${product.origin}/slack/events`, { method: "POST", body });
  expect(forged.status).toBe(404);
});

it("[slack.transports] turns away a workspace that the settings do not list, and gives its token back", async () => {
  const { status, page } = await install(product, "globex");
  expect([status, page]).toEqual([403, expect.stringContaining("add T0GLOBEX00 to slack.workspaces")]);
  expect(slack.calls.some(({ method, error }) => method === "auth.revoke" && error === undefined)).toBe(true);
  expect(slack.team("globex").botToken).toBe("");
  // Even where Slack sends its events.
  slack.team("globex").botToken = "xoxb-installed-elsewhere";
  const question = slack.user("hank", "globex").mention("general", "show me DEMO-1");
  await product.line((line) => line.team === "T0GLOBEX00" && String(line.msg).includes("not installed in"));
  await slack.settled();
  expect(answers(slack, question)).toEqual([]);
  slack.team("globex").botToken = "";
});

it("[slack.transports] installs nothing for somebody who cancels, or comes from another browser", async () => {
  const before = slack.calls.length;
  const cancelled = await install(product, "globex", { consent: { deny: "1" } });
  expect([cancelled.status, cancelled.page]).toEqual([200, expect.stringContaining("Nothing was installed")]);
  const strange = await install(product, "globex", { keepsCookie: false });
  expect([strange.status, strange.page]).toEqual([400, expect.stringContaining("another browser")]);
  expect(slack.calls.slice(before)).toEqual([]);
  const stray = await fetch(`${product.origin}/slack/oauth_redirect?error=%3Cscript%3E&code=`);
  expect(stray.status).toBe(400);
  expect(await stray.text()).not.toContain("<script>");
  expect(stray.headers.get("x-frame-options")).toBe("DENY");
});

it("[slack.transports] serves all workspaces of an organisation with one installation", async () => {
  expect((await install(product, "north", { consent: { org: "1" } })).status).toBe(200);
  const question = slack
    .user("hank", "north")
    .mention("general", "create an issue in DEMO titled 'Of the North'");
  const card = await answerTo(slack, question, "cs:approve");
  expect(await slack.user("ivy", "north").click(card.ts, "cs:approve")).toMatchObject({ ok: true });
  await slack.until(() => !says(card.blocks, "cs:approve") && says(card.blocks, "cs:menu"));
  expect(storedIssues(product.dataDir, "Of the North")).toHaveLength(1);

  const other = slack.user("hank", "south").mention("general", "show me DEMO-2");
  const answer = await answerTo(slack, other, "DEMO-2");
  expect(answer.team).toBe(slack.team("south").id);
  const token = slack.team("north").org?.botToken ?? "";
  expect(slack.calls.filter((call) => call.token === token).length).toBeGreaterThan(3);
  expect(
    slack.calls.flatMap(({ method, error }) => (error === undefined ? [] : [`${method}: ${error}`])),
  ).toEqual([]);
});

it("[slack.transports] forgets an organisation that uninstalls the app", async () => {
  slack.uninstall("south");
  await product.line((line) => String(line.msg).includes("uninstalled from initech"));
  slack.team("north").botToken = "xoxb-of-nobody";
  const late = slack.user("hank", "north").mention("general", "show me DEMO-3");
  await product.line(
    (line) => line.team === slack.team("north").id && String(line.msg).includes("not installed"),
  );
  await slack.settled();
  expect(answers(slack, late)).toEqual([]);
});
