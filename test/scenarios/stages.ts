import { randomUUID } from "node:crypto";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";
import type { Message as DiscordMessage } from "#test/fakes/discord/types.ts";
import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { Message as SlackMessage } from "#test/fakes/slack/types.ts";

import type { Company, PersonName } from "./company.ts";
import type { Beat, Scenario } from "./scenarios.ts";

/** An approval, as far as scenarios read it. */
export interface Request {
  approval_id: string;
  turn_id: string;
  state: string;
  args: Record<string, unknown>;
  statement: { ask: string; object?: { label?: string; title?: string } };
}

/** What people do on one surface; the last turn is what they act upon. */
export interface Stage {
  surface: "slack" | "discord" | "page";
  /** Says it where nobody said anything yet; resolves to the id of the turn. */
  say(who: PersonName, text: string): Promise<string>;
  /** Decides all of these, which wait together. */
  decide(
    who: PersonName,
    requests: readonly Request[],
    decision: "approve" | "deny",
    reason?: string,
  ): Promise<void>;
  /** Fills in the form of a request; values go by the label of their field. */
  edit(who: PersonName, request: Request, values: Record<string, string>): Promise<void>;
  /** Presses the step `at` of what the turn offers next; resolves to the id of the new turn. */
  next(who: PersonName, turnId: string, at: number): Promise<string>;
  /**
   * Resolves when what is shown of the turn is what it came to; `request` is to be decided there, where given. `isOver`:
   * nothing is to be decided there any more.
   */
  shown(turnId: string, request?: Request, isOver?: boolean): Promise<void>;
}

/** Where a scenario stands. */
export interface Moment {
  turnId: string;
  requests: Request[];
}

const PATIENCE_MS = 60_000;

/** Plays one scenario; `shot` is told of each moment that is worth a look. */
export async function play(
  company: Company,
  stage: Stage,
  { name, beats }: Scenario,
  shot: (name: string, moment: Moment) => Promise<void>,
): Promise<void> {
  let turnId = "";
  const requests = async (): Promise<Request[]> => {
    const { approvals } = await company.api<{ approvals: Request[] }>("operator", "GET", "/approvals");
    return approvals.filter((one) => one.turn_id === turnId);
  };
  const until = async (state: string): Promise<void> => {
    await eventually(`${name} on ${stage.surface}: every request ${state}`, async () => {
      const open = (await requests()).filter((one) => one.state !== "superseded");
      return open.length > 0 && open.every((one) => one.state === state);
    });
    await rests(company, turnId);
    await stage.shown(turnId, undefined, state !== "pending");
  };

  async function act(beat: Beat): Promise<void> {
    if ("say" in beat) {
      turnId = await stage.say(beat.by, beat.say);
      await rests(company, turnId);
      await stage.shown(turnId);
    } else if ("decide" in beat) {
      const waiting = (await requests()).filter(({ state }) => state === "pending");
      if (waiting.length === 0) throw new Error(`${name} on ${stage.surface}: nothing waits for ${beat.by}`);
      await stage.decide(beat.by, waiting, beat.decide, beat.reason);
      await stage.shown(turnId);
    } else if ("edit" in beat) {
      const [request] = (await requests()).filter(({ state }) => state === "pending");
      if (request === undefined) throw new Error(`${name} on ${stage.surface}: nothing waits to be changed`);
      await stage.edit(beat.by, request, beat.edit);
      await eventually(`${name} on ${stage.surface}: another request in its place`, async () => {
        const next = (await requests()).find(({ state }) => state === "pending");
        if (next === undefined || next.approval_id === request.approval_id) return false;
        await rests(company, turnId);
        await stage.shown(turnId, next);
        return true;
      });
    } else if ("next" in beat) {
      const { result } = await turn(company, turnId);
      const at = (result?.next ?? []).findIndex(({ kind }) => kind === beat.next);
      if (at === -1) throw new Error(`${name} on ${stage.surface}: expected a way to ${beat.next}, got none`);
      turnId = await stage.next(beat.by, turnId, at);
      await rests(company, turnId);
      await stage.shown(turnId);
    } else if ("until" in beat) {
      await until(beat.until);
    } else {
      await shot(beat.shot, { turnId, requests: await requests() });
    }
  }

  for (const beat of beats) await act(beat);
}

interface Turn {
  state: string;
  result?: { next?: { kind: string }[] };
}

function turn(company: Company, turnId: string): Promise<Turn> {
  return company.api<Turn>("operator", "GET", `/agent/turns/${turnId}`);
}

const RUNNING = new Set(["queued", "planning", "executing", "running", "summarizing"]);

async function rests(company: Company, turnId: string): Promise<void> {
  await eventually(
    `the turn ${turnId} at rest`,
    async () => !RUNNING.has((await turn(company, turnId)).state),
  );
}

/** Asks again and again: a decision of one surface comes to the others by the store. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error(`expected ${what} within ${PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Every id of a turn in what a platform was sent. */
function turnIn(value: unknown): string | undefined {
  return /turn_[0-9A-Z]{20,}/.exec(JSON.stringify(value))?.[0];
}

export interface SlackStage extends Stage {
  /** The `ts` of the message that began the conversation of the last turn. */
  readonly thread: string;
}

export function slackStage(slack: FakeSlack, channel = "general"): SlackStage {
  let question: SlackMessage | undefined;
  const answers = (): SlackMessage[] =>
    question === undefined ? [] : slack.thread(question.ts).filter(({ bot_id }) => bot_id !== undefined);
  const turnOf = ({ metadata }: SlackMessage): string | undefined => turnIn(metadata ?? null);
  const answer = (turnId: string): SlackMessage | undefined =>
    answers().find((message) => turnOf(message) === turnId);
  const controls = (message: SlackMessage): { action_id: string; value: string }[] =>
    controlsIn(message.blocks);
  const press = async (
    who: PersonName,
    turnId: string,
    id: RegExp,
    value: string | RegExp,
  ): Promise<void> => {
    const [message, found] = await slack.until(() => {
      const at = answer(turnId);
      const control = at && controls(at).find((one) => id.test(one.action_id) && fits(one.value, value));
      return at && control && ([at, control] as const);
    });
    const { ok } = await slack.user(who).click(message.ts, `${found.action_id}=${found.value}`);
    if (!ok) throw new Error(`Slack waited in vain for an answer to ${found.action_id}`);
  };
  const newest = async (known: ReadonlySet<string | undefined>): Promise<string> =>
    slack.until(() =>
      answers()
        .map(turnOf)
        .find((id) => id !== undefined && !known.has(id)),
    );

  return {
    surface: "slack",
    get thread() {
      return question?.ts ?? "";
    },
    async say(who, text) {
      question = slack.user(who).mention(channel, text);
      return newest(new Set());
    },
    async decide(who, requests, decision, reason) {
      const [request] = requests;
      if (request === undefined) return;
      const { turn_id: turnId, approval_id: id } = request;
      if (requests.length > 1)
        await press(who, turnId, new RegExp(`^cs:${decision}_all`), new RegExp(`^${turnId}`));
      else await press(who, turnId, new RegExp(`^cs:${decision}(?::|$)`), id);
      const form = slack.modal(who);
      if (form === undefined) return;
      const [input] = controlsIn(form.blocks);
      await slack.user(who).submit(form, { [input?.action_id ?? ""]: reason ?? "No" });
    },
    async edit(who, { turn_id: turnId, approval_id: id }, values) {
      await press(who, turnId, /^cs:edit/, id);
      const form = await slack.until(() => slack.modal(who));
      const { result } = await slack.user(who).submit(form, values);
      if (result !== "closed") throw new Error(`the form was not taken: ${result}`);
    },
    async next(who, turnId, at) {
      const known = new Set(answers().map(turnOf));
      await press(who, turnId, /^cs:next/, `${turnId}|${at}`);
      return newest(known);
    },
    async shown(turnId, request, isOver = false) {
      const busy = isOver ? /^cs:(?:stop|approve|deny)\b/ : /^cs:stop$/;
      await slack.until(() => {
        const at = answer(turnId);
        if (at === undefined || controls(at).some(({ action_id: id }) => busy.test(id))) return false;
        return request === undefined || controls(at).some(({ value }) => value === request.approval_id);
      });
    },
  };
}

function fits(value: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? value === wanted : wanted.test(value);
}

/** Buttons and inputs, wherever they stand. */
function controlsIn(value: unknown): { action_id: string; value: string }[] {
  if (Array.isArray(value)) return value.flatMap(controlsIn);
  if (typeof value !== "object" || value === null) return [];
  const { action_id: id, value: said = "" } = value as { action_id?: unknown; value?: unknown };
  const own = typeof id === "string" ? [{ action_id: id, value: String(said) }] : [];
  return [...own, ...Object.values(value).flatMap(controlsIn)];
}

export interface DiscordStage extends Stage {
  readonly question: DiscordMessage | undefined;
}

export function discordStage(discord: FakeDiscord, channel = "general"): DiscordStage {
  let question: DiscordMessage | undefined;
  const answers = (): DiscordMessage[] => {
    const side = question && discord.threadOf(question);
    return side === undefined
      ? []
      : discord.messages(side.id).filter(({ author }) => author === discord.app.id);
  };
  /** By which message shows it, as buttons that name their turn are gone from some. */
  const shownBy = new Map<string, string>();
  const learn = (): void => {
    for (const message of answers()) {
      const id = turnIn(message.components);
      if (id !== undefined) shownBy.set(id, message.id);
    }
  };
  const answer = (turnId: string): DiscordMessage | undefined => {
    learn();
    return answers().find(({ id }) => id === shownBy.get(turnId));
  };
  const press = async (who: PersonName, turnId: string, wanted: string): Promise<void> => {
    const [message, id] = await discord.until(() => {
      const at = answer(turnId);
      const found = at && customIds(at.components).find((one) => one.startsWith(wanted));
      return at === undefined || found === undefined ? undefined : ([at, found] as const);
    });
    const { ok } = await discord.user(who).click(message, id);
    if (!ok) throw new Error(`Discord waited in vain for an answer to ${id}`);
  };
  const newest = async (known: ReadonlySet<string>): Promise<string> =>
    discord.until(() => {
      learn();
      return [...shownBy.keys()].find((id) => !known.has(id));
    });

  return {
    surface: "discord",
    get question() {
      return question;
    },
    async say(who, text) {
      learn();
      const known = new Set(shownBy.keys());
      question = discord.user(who).mention(channel, text);
      return newest(known);
    },
    async decide(who, requests, decision, reason) {
      const [request] = requests;
      if (request === undefined) return;
      const { turn_id: turnId, approval_id: id } = request;
      await press(who, turnId, requests.length > 1 ? `cs:${decision}_all:${turnId}` : `cs:${decision}:${id}`);
      const modal = discord.modal(who);
      if (modal === undefined) return;
      const [input] = customIds(modal.components);
      await discord.user(who).submit({ [input ?? ""]: reason ?? "No" });
    },
    async edit(who, { turn_id: turnId, approval_id: id }, values) {
      await press(who, turnId, `cs:edit:${id}`);
      await discord.until(() => discord.modal(who));
      await discord.user(who).submit(values);
    },
    async next(who, turnId, at) {
      const known = new Set(shownBy.keys());
      // What was read already comes before more is read.
      const rows =
        answer(turnId) && customIds(answer(turnId)?.components).find((id) => id.startsWith("cs:page_next:"));
      if (rows !== undefined) await press(who, turnId, rows);
      await press(who, turnId, `cs:next:${turnId}|${at}`);
      return newest(known);
    },
    async shown(turnId, request, isOver = false) {
      const busy = isOver ? /^cs:(?:stop|approve|deny)/ : /^cs:stop/;
      await discord.until(() => {
        const at = answer(turnId);
        const ids = at === undefined ? [] : customIds(at.components);
        if (at === undefined || ids.some((id) => busy.test(id))) return false;
        return request === undefined || ids.some((id) => id.endsWith(request.approval_id));
      });
    },
  };
}

function customIds(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(customIds);
  if (typeof value !== "object" || value === null) return [];
  const { custom_id: id } = value as { custom_id?: unknown };
  return [...(typeof id === "string" ? [id] : []), ...Object.values(value).flatMap(customIds)];
}

export interface PageStage extends Stage {
  /** The conversation that the last turn is in. */
  readonly session: string;
}

/** The page's own conversations, moved over the API. */
export function pageStage(company: Company): PageStage {
  let session = "";
  return {
    surface: "page",
    get session() {
      return session;
    },
    async say(who, message) {
      session = `scenario-${randomUUID()}`;
      const body = { session_id: session, message };
      const { turn_id: id } = await company.api<{ turn_id: string }>(who, "POST", "/agent/turn", body);
      return id;
    },
    async decide(who, requests, decision, reason) {
      const body = { decision, ...(reason === undefined ? {} : { reason }) };
      for (const { approval_id: id } of requests)
        await company.api(who, "POST", `/approvals/${id}/decision`, body);
    },
    async edit(who, { approval_id: id, args }, values) {
      // The API takes arguments by their names.
      const changed = Object.entries(values).map(([label, value]) => [
        label.toLowerCase().replaceAll(" ", "_"),
        value,
      ]);
      await company.api(who, "POST", `/approvals/${id}/edit`, {
        args: { ...args, ...Object.fromEntries(changed) },
      });
    },
    async next(who, turnId, at) {
      const body = { event_id: randomUUID() };
      const next = await company.api<{ turn_id: string }>(
        who,
        "POST",
        `/playground/turns/${turnId}/next/${at}`,
        body,
      );
      return next.turn_id;
    },
    shown: async () => {},
  };
}
