import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { acme } from "#test/fakes/discord/world.ts";
import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message } from "#test/fakes/discord/types.ts";

import {
  answers,
  answerTo,
  askChange,
  discordSettings,
  ended,
  says,
  startBot,
  startDiscord,
} from "./discord-support.ts";
import {
  areWhole,
  ASKED,
  DISCORD_NAMES,
  gateConfig,
  idIn,
  type Kept,
  NAMES,
  type Names,
  onlyGrant,
  SECRET,
  stateOf,
  valueOf,
} from "./gate-table.ts";
import { cleanUpAll, type HostedProduct, temporaryFolder } from "./support.ts";

const GLOBEX = {
  name: "Globex",
  people: { zoe: { name: "Zoe" }, emi: { name: "Emi Tanaka", roles: ["leads"] } },
  roles: { leads: {} },
  channels: { lobby: {} },
};

let discord: FakeDiscord;
let product: HostedProduct;
/** The request of the private channel. */
let card: Message;
/** The one that a standing approval came with. */
let granted: Message;
let kept: Kept;
/** A message of the bot in each of the wrong places, for a forged button to stand in. */
let elsewhere: { place: string; by: string; message: Message }[];

beforeAll(async () => {
  discord = await startDiscord({ guilds: [acme, GLOBEX] });
  const guilds = [discord.guild("Acme").id, discord.guild("Globex").id];
  const config = await gateConfig(await temporaryFolder(), discordSettings({ guilds }));
  product = await startBot(discord, { config });
  const ask = (text: string, words: string): Promise<Message> =>
    answerTo(discord, discord.user("ana").mention("ops-private", text), words);
  granted = await ask(ASKED.granted, "cs:approve");
  await discord.user("ben").click(granted, "Approve for a while");
  const terms = await discord.until(() => discord.ephemerals("ben").find((one) => says(one, "Fill in")));
  await discord.user("ben").click(terms, "Fill in");
  await discord.user("ben").submit({});
  await ended(discord, granted, "Approved by");
  card = await ask(ASKED.request, "cs:approve");
  await discord.user("ana").click(card, "Edit");
  const [, form = ""] = /^cs:form:(.*):0$/.exec(discord.modal("ana")?.customId ?? "") ?? [];
  kept = {
    request: idIn(card.components, "appr"),
    turn: idIn((await ask(ASKED.turn, "cs:menu")).components, "turn"),
    unfilled: idIn((await ask(ASKED.unfilled, "cs:fill_in")).components, "turn"),
    question: idIn((await ask(ASKED.question, "cs:answer")).components, "ques"),
    running: idIn((await ask(ASKED.running, "cs:stop")).components, "turn"),
    grant: onlyGrant(product),
    form,
  };
  const said = (channel: string, words: string): Promise<Message> =>
    answerTo(discord, discord.user("emi").mention(channel, words), "cs:menu");
  discord.user("emi").say("dm", "/desk found name=x");
  elsewhere = [
    { place: "another channel", by: "emi", message: await said("general", "/desk found name=x") },
    { place: "another guild", by: "emi", message: await said("lobby", "/desk found name=x") },
    {
      place: "a direct message",
      by: "emi",
      message: await discord.until(() =>
        answers(discord, discord.dm("emi").id).find((one) => says(one, "cs:menu")),
      ),
    },
    // Who may see the request, from a thread of the same channel.
    {
      place: "another thread of the channel",
      by: "ben",
      message: await answerTo(
        discord,
        discord.user("ben").mention("ops-private", "/desk found name=x"),
        "cs:menu",
      ),
    },
  ];
}, 90_000);

afterAll(() => cleanUpAll());

const ALL = Object.entries<Names>({ ...NAMES, ...DISCORD_NAMES });
const AWAY = /no longer there|too old|has expired/;

/** The message as it would be if the button stood in it. */
function withButton(message: Message, customId: string): Message {
  const button = { type: 2, style: 2, label: "x", custom_id: customId };
  return { ...message, components: [...message.components, { type: 1, components: [button] }] };
}

/** All that the press showed to the person. */
async function press(by: string, message: Message, customId: string): Promise<string> {
  const outcome = await discord.user(by).forge(message.channel, customId, message);
  if (!outcome.ok) return outcome.reason;
  return `${outcome.message === undefined ? "" : discord.textOf(outcome.message)}${JSON.stringify(outcome.modal ?? "")}`;
}

describe("a press", () => {
  it("has a row for every button that the adapters know", () => {
    expect(areWhole()).toBe(true);
    expect(Object.values(kept)).not.toContain("");
  });

  it("from elsewhere, or of a button that its message does not have, reads nothing and does nothing", async () => {
    const before = stateOf(product, kept);
    const wrong: string[] = [];
    for (const [action, names] of ALL) {
      const customId = `cs:${action}:${valueOf(action, names, kept)}`;
      for (const { place, by, message } of elsewhere) {
        const shown = await press(by, withButton(message, customId), customId);
        const isRight = names === "nothing" ? !AWAY.test(shown) : AWAY.test(shown);
        if (!isRight || SECRET.test(shown)) wrong.push(`${action} from ${place}: ${shown}`);
      }
      const question = discord.messages("ops-private").find(({ author }) => author !== discord.app.id);
      for (const message of question === undefined ? [] : [question, withButton(question, customId), card]) {
        if (JSON.stringify(card.components).includes(customId) && message === card) continue;
        const shown = await press("ben", message, customId);
        if (!AWAY.test(shown)) wrong.push(`${action} of a message without it: ${shown}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("of a form from elsewhere, or of somebody else, sends nothing", async () => {
    const before = stateOf(product, kept);
    for (const [by, place] of [
      ["emi", "general"],
      ["ana", "general"],
      ["ben", card.channel],
    ] as const) {
      const outcome = await discord.user(by).forgeForm(place, `cs:form:${kept.form}:0`, []);
      expect(outcome.ok && outcome.message !== undefined && discord.textOf(outcome.message)).toMatch(AWAY);
    }
    expect(stateOf(product, kept)).toEqual(before);
  });

  it("in its own place is taken, for every button", async () => {
    const ana = discord.user("ana");
    const turnedAway = (): Record<string, unknown>[] =>
      product.log.filter(
        ({ msg, actor }) =>
          String(msg).startsWith("something of another place") && String(actor).endsWith(ana.id),
      );
    const before = turnedAway().length;
    for (const [action, names] of ALL) {
      const customId = `cs:${action}:${valueOf(action, names, kept)}`;
      const named = action === "revoke" ? granted : (messageOf(customId) ?? card);
      expect(await press("ana", withButton(named, customId), customId)).not.toMatch(/nobody answered/);
    }
    // What is logged comes in order: with this one all others have come.
    const { message: other } = elsewhere[0] as { message: Message };
    await press("ana", other, "cs:stop:nothing");
    const last = ({ msg, actor, doing }: Record<string, unknown>): boolean =>
      String(msg).startsWith("something of") && String(actor).endsWith(ana.id) && doing === "click";
    await product.line(last);
    expect(turnedAway()).toHaveLength(before + 1);
  });
});

/** The message of the bot that names it. */
function messageOf(customId: string): Message | undefined {
  const id = idIn(customId, "turn") || idIn(customId, "ques") || idIn(customId, "appr");
  if (id === "") return undefined;
  return [...discord.world.messages].find(
    ({ author, ephemeralFor, components }) =>
      author === discord.app.id && ephemeralFor === undefined && JSON.stringify(components).includes(id),
  );
}

describe("guilds", () => {
  it("a role of the same name in another guild decides nothing and is shown nothing", async () => {
    const asked = await askChange(discord, "/desk set name=leads value=of-acme");
    const id = idIn(asked.components, "appr");
    // Emi holds the role "leads" of Globex alone.
    await discord.until(() => discord.commands("Globex").length > 0);
    const listed = await discord.user("emi").slash("countersign approvals", {}, "lobby");
    expect(listed.ok && listed.message !== undefined && discord.textOf(listed.message)).toMatch(
      /Nothing waits/,
    );
    const customId = `cs:approve:${id}`;
    const source = elsewhere.find(({ place }) => place === "another guild")?.message ?? asked;
    expect(await press("emi", withButton(source, customId), customId)).toMatch(AWAY);
    expect(await press("emi", asked, customId)).toMatch(/leads/);
    expect(says(asked, "cs:approve")).toBe(true);
    await discord.user("chloe").click(asked, "cs:approve");
    await ended(discord, asked, "Approved by");
  });

  it("two roles of a name mean nobody, until the configuration names one", async () => {
    const acmeGuild = discord.guild("Acme");
    const asked = await askChange(discord, "/desk set name=leads value=twice");
    const made = {
      id: "499999999999999999",
      name: "oncall-leads",
      permissions: 0n,
      mentionable: false,
      managed: false,
    };
    acmeGuild.roles.set(made.id, { ...made, name: "leads" });
    acmeGuild.members.get(discord.user("farid").id)?.add(made.id);
    try {
      expect(await press("farid", asked, `cs:approve:${idIn(asked.components, "appr")}`)).toMatch(/leads/);
    } finally {
      acmeGuild.roles.delete(made.id);
    }
    expect(says(asked, "cs:approve")).toBe(true);
  });

  it("one that is not configured is told so once, and nothing runs there", async () => {
    discord.invite({
      name: "Initech",
      people: { moss: { name: "Moss" } },
      roles: {},
      channels: { foyer: {}, cellar: {} },
    });
    const moss = discord.user("moss");
    const first = moss.mention("foyer", "/desk set name=one value=initech");
    const line = await discord.until(() => answers(discord, discord.channel("foyer").id)[0]);
    expect(line.content).toMatch(/do not work in this server/);
    const second = moss.mention("foyer", "/desk found name=one");
    moss.mention("cellar", "/desk found name=one");
    const forged = await moss.forge(
      "foyer",
      `cs:details:${kept.request}`,
      withButton(line, `cs:details:${kept.request}`),
    );
    expect(forged.ok && forged.message !== undefined && discord.textOf(forged.message)).toMatch(
      /do not work/,
    );
    // Somebody of this guild alone is no member of one that is served.
    moss.say("dm", "/desk found name=one");
    const direct = await discord.until(() => answers(discord, discord.dm("moss").id)[0]);
    expect(direct.content).toMatch(/members of the servers/);
    moss.say("dm", "/desk found name=two");
    // What was said before is handled before this.
    const served = await answerTo(
      discord,
      discord.user("emi").mention("general", "/desk found name=x"),
      "cs:menu",
    );
    expect(says(served, "cs:menu")).toBe(true);
    expect([discord.threadOf(first), discord.threadOf(second)]).toEqual([undefined, undefined]);
    expect(answers(discord, discord.channel("foyer").id)).toHaveLength(1);
    expect(answers(discord, discord.channel("cellar").id)).toHaveLength(0);
    expect(answers(discord, discord.dm("moss").id)).toHaveLength(1);
  });

  it("an app that a person installed for themselves brings nothing of it elsewhere", async () => {
    const { message } = elsewhere[0] as { message: Message };
    const customId = `cs:menu:${idIn(message.components, "turn")}`;
    discord.world.personalInstall = true;
    try {
      expect(await press("emi", message, customId)).toMatch(/do not work in this server/);
    } finally {
      discord.world.personalInstall = false;
    }
    expect(await press("emi", message, customId)).not.toMatch(/do not work/);
  });
});
