import type { ActorId } from "#contract/actor.ts";
import type { JsonObject, JsonSchema } from "#contract/json.ts";
import type { PersonAccount } from "#contract/people.ts";
import type { Question, QuestionDraft, QuestionReply } from "#contract/question.ts";
import type { Tool } from "#contract/tool.ts";

import { oneLine } from "../base/text.ts";
import { MINUTE_MS } from "../base/time.ts";
import { en } from "../base/words/en.ts";
import type { Tx } from "../store/schema.ts";
import type { Accounts } from "./accounts.ts";

/** Of whom it is asked who they are. */
export interface AskedAbout {
  /** Absent: somebody who was only named; the answer is for this once. */
  actor?: ActorId;
  isSelf: boolean;
  /** Empty where nobody knows. */
  name: string;
  email?: string;
  /** Whom it can only be; default: whoever the name and the address find. */
  choices?: readonly PersonAccount[];
}

interface AskDeps {
  accounts: Pick<Accounts, "search" | "canSearch">;
  asker: { channel: string; ask: (question: QuestionDraft) => Promise<QuestionReply> };
}

/** How long a person may take. */
const ANSWER_MS = 10 * MINUTE_MS;
/** Searches that find nobody, or too many. */
const MOST_TRIES = 5;
const MOST_CHOICES = 10;

/**
 * Asks the person who an actor is in the tool's server: one of the likely ones, or whoever a search finds. The answer
 * is kept with the answer itself (`keepAnswer`), so that it outlives the process. Undefined without an answer.
 */
export async function askWho(
  about: AskedAbout,
  tool: Tool,
  { accounts, asker }: AskDeps,
): Promise<PersonAccount | undefined> {
  const { server } = tool;
  const title = tool.serverTitle ?? server;
  const canSearch = accounts.canSearch(server, asker.channel);
  let choices = about.choices ?? (await likely(about, server, { accounts, asker }));
  let said = "";
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const who = about.isSelf
      ? en.recorded.whoAreYou(title)
      : en.recorded.whoIs(about.name || "that person", title);
    const reply = await asker.ask({
      kind: "form",
      message: said === "" ? who : `${said} ${who}`,
      schema: toSchema(choices, canSearch),
      topic: {
        kind: "account",
        ...(about.actor === undefined ? {} : { actor: about.actor }),
        server,
        choices: [...choices],
      },
      toolId: tool.id,
      ttlMs: ANSWER_MS,
    });
    if (reply.action !== "accept") return undefined;
    const { content = {} } = reply;
    const chosen = accountIn(content, { server, choices });
    if (chosen !== undefined) return chosen;
    const text = typeof content["search"] === "string" ? content["search"].trim() : "";
    if (text === "") {
      said = en.recorded.chooseOne();
      continue;
    }
    choices = (await accounts.search(server, text, asker.channel)).slice(0, MOST_CHOICES);
    said = choices.length === 0 ? `${title} knows nobody called “${oneLine(text, 60)}”.` : "";
  }
  return undefined;
}

/** The account that an answer names: one of the choices, or where there is nobody to choose from what was typed. */
export function accountIn(
  content: Readonly<Record<string, unknown>>,
  { server, choices }: { server: string; choices: readonly PersonAccount[] },
): PersonAccount | undefined {
  const { account, name } = content;
  if (typeof account === "string" && account !== "") return choices.find(({ id }) => id === account);
  const typed = typeof name === "string" ? oneLine(name, 120) : "";
  return typed === "" ? undefined : { server, id: typed, name: typed };
}

/**
 * Keeps who somebody said they are, in the transaction that records the answer. Rejects with `not_eligible` where the
 * operator says that the account is somebody else's.
 */
export function createKeepAnswer(
  accounts: Pick<Accounts, "keep">,
): (tx: Tx, question: Question, content: JsonObject) => Promise<void> {
  return async (tx, question, content) => {
    const { topic } = question.kind === "form" ? question : {};
    const account = topic && accountIn(content, topic);
    if (topic?.actor !== undefined && account !== undefined)
      await accounts.keep(tx, topic.actor, account, question.actor);
  };
}

async function likely(
  { name, email }: AskedAbout,
  server: string,
  { accounts, asker }: AskDeps,
): Promise<PersonAccount[]> {
  const words = name.split(/[\s._-]+/).filter((word) => word.length > 2);
  const found: PersonAccount[] = [];
  for (const text of [email, name, words.at(0), words.at(-1)]) {
    if (text === undefined || text === "") continue;
    for (const one of await accounts.search(server, text, asker.channel))
      if (!found.some(({ id }) => id === one.id)) found.push(one);
    if (found.length >= MOST_CHOICES) break;
  }
  return found.slice(0, MOST_CHOICES);
}

function toSchema(choices: readonly PersonAccount[], canSearch: boolean): JsonSchema {
  const account = {
    account: {
      type: "string",
      title: "Account",
      oneOf: choices.map((one) => ({ const: one.id, title: labelOf(one, choices) })),
    },
  };
  const search = {
    search: {
      type: "string",
      title: choices.length === 0 ? "Name or e-mail address" : "Or somebody else: name or e-mail address",
      maxLength: 200,
    },
  };
  const name = { name: { type: "string", title: "Account name", minLength: 1, maxLength: 120 } };
  if (!canSearch) return { type: "object", properties: name, required: ["name"] };
  return {
    type: "object",
    properties: { ...(choices.length === 0 ? {} : account), ...search },
    ...(choices.length === 0 ? { required: ["search"] } : {}),
  };
}

/** Two of one name are told apart. */
function labelOf({ id, name, email }: PersonAccount, all: readonly PersonAccount[]): string {
  const isAlone = all.filter((one) => one.name === name).length < 2;
  return isAlone ? name : `${name} (${email ?? id})`;
}
