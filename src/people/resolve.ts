import type { ActorId } from "#contract/actor.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { PersonAccount } from "#contract/people.ts";
import type { ArgSource, PlannedCall, PlannedStep } from "#contract/plan.ts";
import type { QuestionDraft, QuestionReply } from "#contract/question.ts";
import type { CallRequest, Tool, ToolBox } from "#contract/tool.ts";

import { personArguments } from "../base/person-arguments.ts";
import { CountersignError } from "../base/errors.ts";
import { oneLine } from "../base/text.ts";
import { toolById } from "../base/tool-names.ts";
import { en } from "../base/words/en.ts";
import type { Accounts, ServerPeople } from "./accounts.ts";
import { askWho } from "./ask.ts";
import { bestOf } from "./match.ts";
import type { Persons } from "./persons.ts";

export interface ResolverOptions {
  persons: Persons;
  accounts: Accounts;
  servers: readonly ServerPeople[];
  tools: Pick<ToolBox, "find">;
}

/** Whose plan it is, and how they are asked. */
export interface Asker {
  actor: ActorId;
  channel: string;
  ask: (question: QuestionDraft) => Promise<QuestionReply>;
}

export interface Resolver {
  /**
   * The plan with people as their servers know them: "me", "my" and mentions become accounts, and what is written in
   * somebody's name begins with it. Who cannot be found is asked about; without an answer the plan becomes a message.
   */
  resolve(plan: PlannedStep, asker: Asker): Promise<PlannedStep>;
  /**
   * Arguments that `editor` has put in place of a plan's, for a call that `requestedBy` asked for: "me" is the editor.
   * Rejects with `bad_args` where nobody knows who somebody is.
   */
  edited(
    tool: Tool,
    args: JsonObject,
    by: { editor: ActorId; requestedBy: ActorId; channel: string },
  ): Promise<JsonObject>;
  /** For whom the server's own account acts in a change; undefined where the person's own does, or it is not told. */
  asker(tool: Tool, actor: ActorId, channel: string): Promise<CallRequest["asker"]>;
  /** Whose account acts in a change, as `Statement.as`; undefined for the person's own, and where there are no accounts. */
  actingAs(tool: Tool, actor: ActorId, channel: string): Promise<string | undefined>;
  /** What people call the actor, for planners; empty where nobody knows. */
  nameOf(actor: ActorId): Promise<string>;
}

const SELF = /^@?(?:me|myself|my|mine|i|self|current_?user(?:\(\))?)$/i;
/** As platforms write a person, and as a Slack id reads once its signs are gone. */
const ID = String.raw`<@!?(?<id>[A-Z0-9]{2,30})(?:\|[^>]*)?>|@(?<bare>[UW](?=[A-Z]*\d)[A-Z0-9]{6,29})\b`;
const MENTION = new RegExp(`^(?:${ID})$`);
const MENTIONS = new RegExp(ID, "g");
/** Arguments that hold a query language, in which whoever calls is named too. */
const QUERY = /^(?:jql|cql|wiql|q|query|filter|search)$/i;
const SELF_IN_QUERY =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|currentUser\(\)|(?<=(?:assignee|reporter|creator|author|owner|contributor|watcher|voter|involves|mentions|review-requested|user)\s*(?::|!?=|!?~)\s*)@?me\b/gi;
/** Whom nobody could name; ends the plan with these words. */
class Unknown extends Error {}

export function createResolver({ persons, accounts, servers, tools }: ResolverOptions): Resolver {
  const settingsOf = (server: string): ServerPeople | undefined =>
    servers.find((one) => one.server === server);

  async function nameOf(actor: ActorId): Promise<string> {
    const { name } = await persons.profile(actor);
    return name ?? /^(?:http|console):(?!local$)(.+)$/.exec(actor)?.[1] ?? "";
  }

  /** Throws Unknown where nobody says who they are. */
  async function accountOf(actor: ActorId, tool: Tool, asker: Asker): Promise<PersonAccount> {
    const { server } = tool;
    const known = await accounts.of(actor, server, { channel: asker.channel, asker: asker.actor });
    if (known !== undefined) return known;
    const { name, email } = await persons.profile(actor);
    const about = {
      actor,
      isSelf: actor === asker.actor,
      name: name ?? (await nameOf(actor)),
      ...(email === undefined ? {} : { email }),
    };
    const told = await askWho(about, tool, { accounts, asker });
    if (told === undefined) {
      const title = tool.serverTitle ?? server;
      throw new Unknown(
        about.isSelf
          ? en.recorded.dontKnowYou(title, whereToTell(asker.actor))
          : en.recorded.dontKnowThem(about.name || "that person", title, title),
      );
    }
    return told;
  }

  /** Whom a text of a plan means; undefined where it names somebody by itself. */
  function meant(text: string, { actor }: Asker, ownName: string): ActorId | undefined {
    const said = text.trim();
    if (SELF.test(said) || (ownName !== "" && said.toLowerCase() === ownName.toLowerCase())) return actor;
    const { id, bare } = (MENTION.exec(said) ?? MENTION.exec(`@${said}`))?.groups ?? {};
    const known = id ?? bare;
    return known === undefined ? undefined : mentioned(known, actor);
  }

  /** The one account that a name fits best; asks where it fits several and the call is a change. */
  async function named(said: string, tool: Tool, asker: Asker): Promise<PersonAccount | undefined> {
    const name = said.trim().replace(/^@/, "");
    const [only, ...others] = bestOf(name, await accounts.search(tool.server, name, asker.channel));
    if (only === undefined || others.length === 0) return only;
    if (tool.annotations.readOnlyHint === true) return undefined;
    const told = await askWho({ isSelf: false, name, choices: [only, ...others] }, tool, { accounts, asker });
    if (told !== undefined) return told;
    throw new Unknown(en.recorded.severalPeople(tool.serverTitle ?? tool.server, oneLine(name, 60)));
  }

  /** The arguments with accounts for people; whom they are of is noted with `note`. */
  async function resolveArgs(
    tool: Tool,
    given: JsonObject,
    asker: Asker,
    note: (argument: string, account: PersonAccount) => void,
  ): Promise<JsonObject> {
    const settings = settingsOf(tool.server);
    const paths = personArguments(tool.inputSchema);
    for (const path of settings?.arguments ?? []) paths.push(path.split("."));
    const isOwn = settings?.actsAs(asker.actor) === true;
    const ownName = await nameOf(asker.actor);

    async function person(argument: string, value: JsonValue): Promise<JsonValue> {
      if (Array.isArray(value)) {
        const all: JsonValue[] = [];
        for (const one of value) all.push(await person(argument, one));
        return all;
      }
      if (typeof value !== "string") return value;
      const who = meant(value, asker, ownName);
      if (who === asker.actor && isOwn) return value;
      const account = who === undefined ? await named(value, tool, asker) : await accountOf(who, tool, asker);
      if (account === undefined) return value;
      note(argument, account);
      return account.id;
    }

    /** Whoever is named within a query, and mentions within texts. */
    async function text(argument: string, value: JsonValue): Promise<JsonValue> {
      if (typeof value !== "string") return value;
      let result = value;
      if (QUERY.test(argument) && !isOwn && [...value.matchAll(SELF_IN_QUERY)].some(isSelfInQuery)) {
        const account = await accountOf(asker.actor, tool, asker);
        note(argument, account);
        result = value.replaceAll(SELF_IN_QUERY, (found) => (isQuoted(found) ? found : quoted(account.id)));
      }
      for (const { 0: mention, groups = {} } of value.matchAll(MENTIONS)) {
        const actor = mentioned(groups["id"] ?? groups["bare"] ?? "", asker.actor);
        const name = actor === undefined ? "" : await nameOf(actor);
        if (name !== "") result = result.replaceAll(mention, () => `@${name}`);
      }
      return result;
    }

    let args = given;
    for (const path of paths) args = await changeAt(args, path, (value) => person(path[0] ?? "", value));
    const isPerson = (name: string): boolean => paths.some((path) => path[0] === name);
    for (const name of Object.keys(args))
      if (!isPerson(name)) args = await changeAt(args, [name], (value) => text(name, value));
    return args;
  }

  async function calledIn(server: string, actor: ActorId, channel: string): Promise<CallRequest["asker"]> {
    const account = await accounts.of(actor, server, { channel });
    const name = oneLine(account?.name ?? (await nameOf(actor)), 120);
    return name === "" ? undefined : { name, ...(account === undefined ? {} : { account: account.id }) };
  }

  /** What is written with the bot's account begins with the name of who asked for it. */
  async function signed(tool: Tool, args: JsonObject, actor: ActorId, channel: string): Promise<JsonObject> {
    const settings = settingsOf(tool.server);
    const argument = settings?.signed[tool.name];
    if (argument === undefined || settings?.actsAs(actor) === true) return args;
    const asker = await calledIn(tool.server, actor, channel);
    if (asker === undefined) return args;
    const head = `${asker.name} (via Countersign): `;
    return changeAt(args, argument.split("."), (value) =>
      typeof value !== "string" || value.startsWith(head) ? value : `${head}${value}`,
    );
  }

  async function resolveCall(call: PlannedCall, asker: Asker): Promise<PlannedCall> {
    const tool = toolById(tools, call.tool);
    if (tool === undefined) return call;
    const sources: Record<string, ArgSource> = { ...call.sources };
    const args = await resolveArgs(tool, call.args, asker, (argument, { name, id }) => {
      const source = sources[argument] ?? { from: "message" };
      sources[argument] = { ...source, people: [...(source.people ?? []), { label: name, account: id }] };
    });
    const isNoted = call.sources !== undefined || Object.keys(sources).length > 0;
    return {
      ...call,
      args: await signed(tool, args, asker.actor, asker.channel),
      ...(isNoted ? { sources } : {}),
    };
  }

  return {
    nameOf,

    async asker(tool, actor, channel) {
      const settings = settingsOf(tool.server);
      const isNamed = settings?.isTold === true && !settings.actsAs(actor);
      return isNamed && tool.annotations.readOnlyHint !== true
        ? calledIn(tool.server, actor, channel)
        : undefined;
    },

    async actingAs(tool, actor, channel) {
      const { server } = tool;
      const settings = settingsOf(server);
      if (settings?.actsAs(actor) === true) return undefined;
      if (settings?.isTold !== true && !accounts.canSearch(server, channel)) return undefined;
      const asker = await calledIn(server, actor, channel);
      return asker === undefined ? en.recorded.theBot() : en.recorded.theBotFor(asker.name);
    },

    async resolve(plan, asker) {
      const { outcome } = plan;
      if (outcome.kind !== "calls") return plan;
      try {
        const calls: PlannedCall[] = [];
        for (const call of outcome.calls) calls.push(await resolveCall(call, asker));
        return { ...plan, outcome: { ...outcome, calls } };
      } catch (error) {
        if (error instanceof Unknown)
          return { ...plan, outcome: { kind: "message", message: error.message } };
        throw error;
      }
    },

    async edited(tool, args, { editor, requestedBy, channel }) {
      const asker: Asker = { actor: editor, channel, ask: async () => ({ action: "cancel" }) };
      try {
        const resolved = await resolveArgs(tool, args, asker, () => undefined);
        return await signed(tool, resolved, requestedBy, channel);
      } catch (error) {
        if (error instanceof Unknown) throw new CountersignError("bad_args", error.message, { cause: error });
        throw error;
      }
    },
  };
}

/** Where people say who they are, on the surface of the actor. */
function whereToTell(actor: ActorId): string {
  if (actor.startsWith("http:")) return "under Tools & health";
  return actor.startsWith("console:") ? "with /me" : "with /countersign me";
}

/** Who has this id where the actor is; undefined where ids mean nobody. */
function mentioned(id: string, actor: ActorId): ActorId | undefined {
  const [, place] = /^((?:slack|discord):[^:]+):/.exec(actor) ?? [];
  return place === undefined ? undefined : (`${place}:${id}` as ActorId);
}

const isQuoted = (found: string): boolean => /^["']/.test(found);
const isSelfInQuery = ([found]: RegExpExecArray): boolean => !isQuoted(found);

/** As a value of a query language; names without signs stay plain. */
function quoted(id: string): string {
  return /^[A-Za-z0-9_.-]+$/.test(id) ? id : `"${id.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The object with the value at a path changed, where there is one. */
async function changeAt(
  args: JsonObject,
  [name = "", ...rest]: readonly string[],
  change: (value: JsonValue) => JsonValue | Promise<JsonValue>,
): Promise<JsonObject> {
  const value = Object.hasOwn(args, name) ? args[name] : undefined;
  if (value === undefined) return args;
  if (rest.length === 0) return { ...args, [name]: await change(value) };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return args;
  return { ...args, [name]: await changeAt(value, rest, change) };
}
