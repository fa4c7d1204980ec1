import { createDiscordTrial } from "#adapters/discord/install/trial.ts";
import { createSlackTrial } from "#adapters/slack/install/trial.ts";
import { messageOf } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { createPolicy, DEFAULT_RULE } from "#src/policy/policy.ts";

import { withToolBox } from "../../tool-box.ts";
import type { Draft } from "../draft.ts";
import type { Setup, Step } from "../step.ts";
import type { SetupOption as Option } from "#contract/setup.ts";
import { optionOf } from "./slack.ts";

/** The group of the configuration that the chosen people are in. */
const GROUP = "approvers";

export const approvers: Step = {
  id: "approvers",
  title: "Approvals: who agrees to changes",
  async run(setup) {
    const { surface, draft } = setup;
    const today = ruleOf(draft);
    const who = await surface.choice({
      id: "approvers.who",
      title: "Nothing is changed before somebody approves it. Who may?",
      help: "Rules for single tools, such as two people for deleting, stand in the configuration and go first: docs/policy.md.",
      options: [
        { value: "requester", label: "The person who asks for it", hint: "one click of their own" },
        { value: "channel", label: "Anybody else in the same channel", hint: "four eyes" },
        { value: "people", label: "People that I choose now" },
      ],
      initial: today?.who ?? "requester",
    });
    if (who === "requester" && today === undefined) return;
    if (who === "people") {
      const chosen = await choosePeople(setup);
      if (chosen.length === 0) {
        surface.tell("bad", "Nobody was chosen, so it stays as it was.");
        return;
      }
      draft.set(
        ["policy", "groups", GROUP],
        chosen.map(({ value }) => value),
      );
      namePeople(draft, chosen);
    }
    const tools = await surface.work("Asking the servers what they can change", () =>
      changingTools(draft, today?.index),
    );
    if (tools.length === 0) {
      surface.tell("bad", "The servers have no action that needs approval, so there is nothing to decide.");
      return draft.drop();
    }
    const by = {
      requester: { approvers: ["requester"] },
      channel: { approvers: ["channel"], exclude_requester: true },
      people: { approvers: [`group:${GROUP}`] },
    }[who];
    const rule = { tools, decision: "ask", ...by };
    if (today === undefined) draft.merge({ policy: { rules: [rule] } });
    else draft.set(["policy", "rules", today.index], rule);
    surface.tell("good", `That holds for ${tools.length} actions.`);
  },
};

type Who = "requester" | "channel" | "people";

/** The rule that an earlier set-up wrote: it lists its tools by their ids, and says nothing but who approves. */
function ruleOf(draft: Draft): { index: number; who: Who } | undefined {
  const rules = draft.at(["policy", "rules"]);
  if (!Array.isArray(rules)) return undefined;
  const index = (rules as unknown[]).findLastIndex(
    (rule) =>
      isObject(rule) &&
      rule.decision === "ask" &&
      Object.keys(rule).every((key) =>
        ["tools", "decision", "approvers", "exclude_requester"].includes(key),
      ) &&
      Array.isArray(rule.tools) &&
      rule.tools.length > 1 &&
      rule.tools.every((tool) => typeof tool === "string" && /^[\w-]+\.[\w.-]+$/.test(tool)),
  );
  const rule: unknown = rules[index];
  const [first] = isObject(rule) && Array.isArray(rule.approvers) ? (rule.approvers as unknown[]) : [];
  const who = ({ requester: "requester", channel: "channel", [`group:${GROUP}`]: "people" } as const)[
    String(first)
  ];
  return who === undefined ? undefined : { index, who };
}

/** By name, of the platforms that are connected; `value` is the actor. */
async function choosePeople(setup: Setup): Promise<Option[]> {
  const { surface, draft } = setup;
  const { slack, discord, policy } = draft.settings;
  const today: readonly string[] = policy.groups[GROUP] ?? [];
  const chosen: Option[] = [];
  if (slack.bot_token !== "") chosen.push(...(await chooseInSlack(setup, today)));
  if (discord.token !== "") chosen.push(...(await searchInDiscord(setup)));
  if (slack.bot_token === "" && discord.token === "") {
    const names = await surface.text({
      id: "approvers.names",
      title: "Their names on the page of Countersign, with commas between them",
      help: "Without Slack or Discord people say who they are on the page; tokens make sure of it (docs/configuration.md#http).",
      initial: today.map((actor) => actor.replace(/^http:/, "")).join(", "),
      check: (answer) => (/^[\w.,\s-]*$/.test(answer) ? undefined : "Names such as ana, ben"),
    });
    chosen.push(
      ...names
        .split(/[\s,]+/)
        .filter((name) => name !== "")
        .map((name) => ({ value: `http:${name}`, label: name })),
    );
  }
  return chosen;
}

async function chooseInSlack(
  { surface, draft, machine }: Setup,
  today: readonly string[],
): Promise<Option[]> {
  const trial = createSlackTrial(draft.settings.slack, machine.now);
  const bot = await trial.bot();
  if ("code" in bot) {
    surface.tell("bad", bot.message);
    return [];
  }
  const { id: team } = bot.team;
  const members = await surface.work("Reading who is in Slack", () => trial.members());
  const options = members.map((one) => ({ ...optionOf(one), value: `slack:${team}:${one.id}` }));
  const values = await surface.choices({
    id: "approvers.slack",
    title: "Who of Slack?",
    options,
    initial: today.filter((actor) => options.some(({ value }) => value === actor)),
  });
  return options.filter(({ value }) => values.includes(value));
}

async function searchInDiscord({ surface, draft, machine }: Setup): Promise<Option[]> {
  const { discord } = draft.settings;
  const trial = createDiscordTrial(discord, machine.now);
  const app = await trial.app();
  if ("code" in app) {
    surface.tell("bad", app.message);
    return [];
  }
  const guilds = app.guilds.filter(({ id }) => discord.guilds.length === 0 || discord.guilds.includes(id));
  const names = await surface.text({
    id: "approvers.discord",
    title: "Who of Discord? Their names, with commas between them",
    initial: "",
    placeholder: "Ana, Ben",
  });
  const chosen: Option[] = [];
  for (const name of names
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")) {
    const found = await Promise.all(
      guilds.map(async ({ id }) =>
        (await trial.search(id, name)).map((one): Option => ({
          value: `discord:${id}:${one.id}`,
          label: one.name,
        })),
      ),
    );
    const [first, ...more] = found.flat();
    if (first === undefined) {
      surface.tell("bad", `Discord knows nobody whose name begins with ${name}.`);
    } else if (more.length === 0) {
      chosen.push(first);
    } else {
      const value = await surface.choice({
        id: `approvers.discord.${name}`,
        title: `Which ${name}?`,
        options: [first, ...more],
        initial: first.value,
      });
      chosen.push(...[first, ...more].filter((one) => one.value === value));
    }
  }
  if (chosen.length > 0) surface.tell("good", `Chosen: ${chosen.map(({ label }) => label).join(", ")}.`);
  return chosen;
}

/** So that whoever reads the configuration sees names, and cards have them. */
function namePeople(draft: Draft, chosen: readonly Option[]): void {
  const there = draft.at(["people"]);
  if (there !== undefined && !Array.isArray(there)) return;
  const known = draft.settings.people.list.flatMap(({ actors }): string[] => actors);
  const people = chosen
    .filter(({ value, label }) => !known.includes(value) && !value.startsWith("http:") && label !== "")
    .map(({ value, label }) => ({ name: label.slice(0, 80), actors: [value] }));
  if (people.length > 0) draft.merge({ people });
}

/** Tools that ask, and that no rule but the one of this place names. */
async function changingTools({ settings }: Draft, own: number | undefined): Promise<string[]> {
  const rules = settings.policy.rules.filter((_, index) => index !== own);
  const policy = createPolicy({ ...settings.policy, rules });
  const tools: string[] = [];
  await withToolBox(settings, { actor: undefined, channel: "" }, async (box) => {
    for (const tool of box.tools()) {
      const { decision, rule } = policy(tool, {});
      if (decision === "ask" && rule === DEFAULT_RULE) tools.push(tool.id);
    }
    return 0;
  }).catch((error: unknown) => {
    throw new Error(`The servers could not be asked: ${messageOf(error)}`, { cause: error });
  });
  return tools.toSorted();
}
