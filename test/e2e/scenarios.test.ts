import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import type { Message as DiscordMessage } from "#test/fakes/discord/types.ts";
import { isFields } from "#test/fakes/slack/json.ts";
import { has } from "#test/machine.ts";
import { de } from "#src/base/words/de.ts";
import { type Company, GERMAN_CHANNEL, startCompany } from "#test/scenarios/company.ts";
import { englishIn } from "#test/scenarios/english.ts";
import { scenariosFor } from "#test/scenarios/scenarios.ts";
import { discordStage, pageStage, play, slackStage, type Stage } from "#test/scenarios/stages.ts";
import { TERMINAL_SCENARIOS, TerminalStage } from "#test/scenarios/terminal.ts";

import { joinBrowser } from "./browser.ts";
import { projectRoot } from "./support.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let company: Company;
let browser: Browser | undefined;
let window: Page | undefined;
beforeAll(async () => {
  company = await startCompany();
});
afterAll(async () => {
  await browser?.close();
  await company.stop();
});

/** Ana's window. */
async function openPage(): Promise<Page> {
  browser = await joinBrowser();
  const page = await browser.newPage({ viewport: { width: 1000, height: 1600 }, reducedMotion: "reduce" });
  await page.request.post(`${company.url}/session`, { form: { token: company.token("ana") } });
  return page;
}

/** What one surface shows of the conversation now: each message with its text for notices. */
interface Seen {
  /** What stands first: what a notice of the desktop shows. */
  first: string;
  /** What a phone's notice shows; undefined where the surface has none of its own. */
  notice?: string;
  /** Everything that is read without opening anything. */
  all: string[];
}

/** What is written for programs, and so for no person. */
const RAW: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["a user id", /\b(?:[UWB]0[A-Z0-9]{6,}|\d{17,20})\b/],
  ["an actor", /\b(?:slack|discord|http|console):\w/],
  ["an id of a record of the product", /\b(?:appr|turn|call|grant|quest)_[0-9A-Z]{8,}/],
  ["a tool id", /\b(?:jira|release)\.(?!example)[a-z_]+\b/],
  ["a name of an argument or a tool", /\b[a-z]+_[a-z_]+\b/],
  ["a digest", /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b/],
  ["nobody's name", /\bby somebody\b/i],
  ["a cursor", /\beyJ\w+|\bfrom-\d+/],
];

function rawIn({ all }: Seen): string[] {
  return all.flatMap((text) =>
    RAW.flatMap(([what, pattern]) => {
      const [found] = pattern.exec(text) ?? [];
      return found === undefined ? [] : [`${what}: ${found} in ${JSON.stringify(text.slice(0, 200))}`];
    }),
  );
}

/** Texts at any depth; what names a person or a channel is drawn by the client as its name. */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isFields(value) || value.type === "user" || value.type === "channel") return [];
  const own = ["text", "content", "label", "title", "description", "placeholder", "name", "value"]
    .filter(
      (field) => field !== "value" || !("action_id" in value || "custom_id" in value || "text" in value),
    )
    .map((field) => value[field])
    .filter((one): one is string => typeof one === "string");
  const nested = Object.entries(value)
    .filter(([field, one]) => typeof one === "object" && field !== "metadata" && field !== "event_payload")
    .flatMap(([, one]) => textsIn(one));
  return [...own, ...nested].map((text) =>
    text.replaceAll(/<[@#!][^>]*>|<t:\d+(?::\w)?>|<https?:[^|>]*\|/g, ""),
  );
}

function slackSeen(thread: string): Seen[] {
  return company.slack
    .thread(thread)
    .filter(({ bot_id }) => bot_id !== undefined)
    .map(({ text, blocks = [] }) => {
      const all = textsIn(blocks);
      return { first: all[0] ?? "", notice: text, all: [...all, text] };
    });
}

/** What stands on the page as a person sees it: of tabs the chosen one, and nothing that is folded. */
async function pageSeen(session: string): Promise<Seen[]> {
  window ??= await openPage();
  const page = window;
  await page.goto(`${company.url}/?c=${session}`);
  const turns = page.locator(".turn");
  await turns.last().waitFor();
  const seen = await Promise.all(
    (await turns.all()).map(async (turn): Promise<Seen> => {
      const asked = turn.getByRole("region", { name: "Approval request" });
      const first = (await asked.count()) === 0 ? "" : (await asked.allInnerTexts()).join("\n");
      return { first, all: [await turn.innerText()] };
    }),
  );
  return seen;
}

function discordSeen(question: DiscordMessage | undefined): Seen[] {
  const side = question && company.discord.threadOf(question);
  const messages = side === undefined ? [] : company.discord.messages(side.id);
  return messages
    .filter(({ author }) => author === company.discord.app.id)
    .map(({ content, components }) => {
      const all = [content ?? "", ...textsIn(components)].filter((text) => text !== "");
      return { first: all[0] ?? "", all };
    });
}

const STAGES: readonly [
  name: string,
  make: () => { stage: Stage; seen: () => Promise<Seen[]> },
  project: string,
  version: string,
][] = [
  [
    "slack",
    () => {
      const stage = slackStage(company.slack);
      return { stage, seen: async () => slackSeen(stage.thread) };
    },
    "DEMO",
    "2.1",
  ],
  [
    "discord",
    () => {
      const stage = discordStage(company.discord);
      return {
        stage,
        seen: async () => discordSeen(stage.question),
      };
    },
    "MOB",
    "2.2",
  ],
  [
    "page",
    () => {
      const stage = pageStage(company);
      return { stage, seen: () => pageSeen(stage.session) };
    },
    "OPS",
    "2.3",
  ],
];

describe.each(STAGES)("%s", (surface, make, project, version) => {
  const isSeen = surface !== "page" || has("chromium");
  it
    .skipIf(!isSeen)
    .each(scenariosFor({ version, project, first: 3 }).map((one) => [one.name, one] as const))(
    "[card.statement] %s: nothing raw is read, and what waits says what it is about",
    async (_, scenario) => {
      const { stage, seen } = make();
      await play(company, stage, scenario, async (shot, { requests }) => {
        const labelOf = ({ statement: { object } }: (typeof requests)[number]): string =>
          object?.label ?? object?.title ?? "";
        // What became of a request is told by its object as well, also to who reads the notice alone. On a busy machine
        // the message may still say what was done before it.
        const told = async (): Promise<string> =>
          (await seen()).flatMap(({ notice }) => notice ?? []).join("\n");
        for (const request of surface === "slack" ? requests : [])
          await expect.poll(told).toContain(labelOf(request));
        const messages = await seen();
        const raw = messages.flatMap(rawIn);
        expect([surface, scenario.name, shot, raw]).toEqual([surface, scenario.name, shot, []]);
        for (const request of requests.filter(({ state }) => state === "pending")) {
          const label = labelOf(request);
          expect(request.statement.ask).toContain(label);
          const heading = messages.map(({ first, notice = first }) => `${first}\n${notice}`).join("\n");
          expect(heading).toContain(label);
          // Of several that wait together the heading names each, and the sentence of all.
          const isAlone = requests.filter(({ state }) => state === "pending").length === 1;
          if (isAlone) expect(heading).toContain(request.statement.ask);
        }
      });
    },
  );
});

/** What a German channel plays of them, in which each kind of message comes. */
const GERMAN = ["read", "search", "delete", "deny", "expired", "failed", "unknown", "several"];

describe.each([
  [
    "slack",
    (): { stage: Stage; seen: () => Seen[] } => {
      const stage = slackStage(company.slack, GERMAN_CHANNEL);
      return { stage, seen: () => slackSeen(stage.thread) };
    },
    "DEMO",
    "3.1",
  ],
  [
    "discord",
    (): { stage: Stage; seen: () => Seen[] } => {
      const stage = discordStage(company.discord, GERMAN_CHANNEL);
      return { stage, seen: () => discordSeen(stage.question) };
    },
    "MOB",
    "3.2",
  ],
] as const)("a German channel on %s", (_, make, project, version) => {
  it.each(
    scenariosFor({ version, project, first: 9 })
      .filter(({ name }) => GERMAN.includes(name))
      .map((one) => [one.name, one] as const),
  )("[card.statement] %s: nothing English of ours is sent", async (name, scenario) => {
    const { stage, seen } = make();
    await play(company, stage, scenario, async (shot, { requests }) => {
      const messages = seen();
      expect([name, shot, englishIn(messages.flatMap(({ all }) => all))]).toEqual([name, shot, []]);
      const [request] = requests.filter(({ state }) => state === "pending");
      if (request === undefined || requests.length > 1) return;
      const all = messages.flatMap((one) => one.all).join("\n");
      expect(all).toContain(request.statement.ask);
      expect(all).toContain(de.approval.states.pending);
    });
  });
});

const ASKED = ["help", "tools", "status", "approvals", "accounts", "me", "privacy"];

it.each(ASKED)("[card.statement] /countersign %s is answered in the channel's language", async (name) => {
  const { slack, discord } = company;
  const before = slack.ephemerals("chloe").length;
  await slack.user("chloe").command("/countersign", name, GERMAN_CHANNEL);
  const told = await slack.until(() => slack.ephemerals("chloe")[before]);
  expect(englishIn([...textsIn(told.blocks), told.text])).toEqual([]);
  const known = discord.ephemerals("chloe").length;
  await discord.user("chloe").slash(`countersign ${name}`, {}, GERMAN_CHANNEL);
  const said = await discord.until(() => discord.ephemerals("chloe")[known]);
  expect(englishIn(textsIn(said.components))).toEqual([]);
});

describe("terminal", () => {
  let terminal: TerminalStage;
  beforeAll(async () => {
    terminal = new TerminalStage(projectRoot, company.chat);
    await terminal.see("countersign> ");
  });
  afterAll(() => terminal.stop());

  it.each(TERMINAL_SCENARIOS.map((one) => [one.name, one] as const))(
    "[card.statement] %s: nothing raw is read",
    async (_, scenario) => {
      const shown = (await terminal.play(scenario)).replaceAll(/<[^>]*>/g, "");
      // What was typed is the person's own.
      const all = shown.split("\n").filter((line) => !line.startsWith("countersign> "));
      expect(rawIn({ first: "", all })).toEqual([]);
      if (scenario.typed.at(-1)?.[1] === "answer> ") await terminal.leave();
    },
  );
});
