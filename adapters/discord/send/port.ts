import {
  type APIEmbed,
  type APIMessage,
  type APIMessageTopLevelComponent,
  type APIThreadChannel,
  ComponentType,
  MessageFlags,
  type RawFile,
  RESTJSONErrorCodes as Code,
  type RESTPatchAPIChannelMessageJSONBody,
  Routes,
} from "discord.js";

import type { MessagePort, Place, TurnView } from "#contract/present.ts";
import { oneLine } from "#src/base/text.ts";
import { en } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { callFiles, type CallUpload, contentOf, readCallFiles } from "../../chat/files.ts";
import { small, words } from "../../chat/line.ts";
import { withNames } from "../../chat/people.ts";
import { staysPrivate } from "../../chat/private.ts";
import { showLinksOnce } from "../../chat/questions.ts";
import { redraw } from "../../chat/redraw.ts";
import { type DiscordPlace, type DiscordRef, readPlace, readRef, toRef } from "../ids.ts";
import type { DiscordDeps } from "../options.ts";
import { EMBEDS_BUDGET, toEmbeds } from "../render/embeds.ts";
import { LIMITS } from "../render/limits.ts";
import type { RenderedMessage } from "../render/message.ts";
import { renderLinkQuestion } from "../render/question.ts";
import { BROUGHT, renderTurn } from "../render/turn.ts";
import { FOR_ONE, renderNotice } from "../render/window.ts";
import { findMessage, nonceOf } from "./find.ts";
import { createNotify, type NotifyDeps } from "./notify.ts";
import { discordCode, DiscordRefusal, refuse } from "./refusal.ts";

export interface PortDeps extends NotifyDeps {
  /** Waits until it is known whether an interaction was answered with "thinking". */
  isDeferred: (interaction: string) => Promise<boolean>;
}

export interface DiscordPort extends MessagePort {
  /** Shows the turn anew where only what is open in its message changed; `read` gives the turn as it is. */
  redraw(ref: DiscordRef, read: () => Promise<TurnView | undefined>): Promise<void>;
  /** Shows everybody in the channel what one person alone saw. */
  share(place: Place, view: TurnView): Promise<void>;
}

/** Turns as messages of Discord. A nonce and a component's id name the turn, so that a message is found again. */
export function createDiscordPort(deps: PortDeps): DiscordPort {
  const { rest, me, rooms } = deps;
  const send = createSend(deps);

  async function post(place: DiscordPlace, view: TurnView, isShared = false): Promise<DiscordRef> {
    const { channel, starter, answers, interaction, isPrivate = false } = place;
    if (interaction !== undefined && (!isPrivate || staysPrivate(view))) {
      const answered = await answerInteraction(channel, interaction, view, isPrivate);
      if (answered !== undefined) return answered;
      if (isPrivate) throw new DiscordRefusal("place_gone", new Error("the person cannot be told"));
    } else if (interaction !== undefined) {
      await sayElsewhere(interaction, view);
    }
    const thread = starter === undefined ? undefined : await openThread(channel, starter, view.message, deps);
    const isReply = thread === undefined && answers !== undefined;
    // Where no message of a person stands above it, it says what was asked.
    const ref = { channel: thread ?? channel, isAnswer: interaction === undefined && !isShared };
    const { sent, isEmbeds } = await send(view, ref, ({ body, ...files }) =>
      rest.post(Routes.channelMessages(ref.channel), {
        body: {
          ...body,
          nonce: nonceOf(view.turnId).nonce,
          enforce_nonce: true,
          ...(isReply ? { message_reference: { message_id: answers, fail_if_not_exists: false } } : {}),
        },
        ...files,
      }),
    );
    if (thread === undefined) await rooms.remember(sent.id, view.conversationId);
    return { ...ref, message: sent.id, isEmbeds };
  }

  /** Fills the answer that says "thinking"; undefined where that can no longer be. */
  async function answerInteraction(
    channel: string,
    { id, token }: NonNullable<DiscordPlace["interaction"]>,
    view: TurnView,
    isPrivate: boolean,
  ): Promise<DiscordRef | undefined> {
    if (!(await deps.isDeferred(id))) return undefined;
    try {
      const { sent, isEmbeds } = await send(view, { isAnswer: false, isPrivate }, (request) =>
        editByToken(token, request),
      );
      const ref = { channel, message: sent.id, isAnswer: false, isEmbeds, token };
      if (isPrivate) return { ...ref, isPrivate };
      await rooms.remember(sent.id, view.conversationId);
      return ref;
    } catch (error) {
      if (!TOKEN_GONE.includes(discordCode(error))) throw error;
      return undefined;
    }
  }

  /** What was promised to one person alone has to be asked of others: it says where. Never rejects. */
  async function sayElsewhere(
    { token }: NonNullable<DiscordPlace["interaction"]>,
    { language }: TurnView,
  ): Promise<void> {
    const { components } = renderNotice(recordedText(en.recorded.askedHere(), wordsOf(language)));
    const body = { components, flags: MessageFlags.IsComponentsV2 };
    await editByToken(token, { body }).catch((error: unknown) => {
      deps.log.debug({ error }, "a command could not be told where its answer stands");
    });
  }

  async function edit(ref: DiscordRef, view: TurnView): Promise<void> {
    const { channel, message, token, isPrivate = false } = ref;
    // Others are asked now, who cannot see it.
    if (isPrivate && !staysPrivate(view))
      throw new DiscordRefusal("message_gone", new Error("one person alone sees the message"));
    if (isPrivate && token !== undefined) {
      try {
        await send(view, ref, (request) => editByToken(token, request, message));
      } catch (error) {
        if (error instanceof Error && TOKEN_GONE.includes(discordCode(error)))
          throw new DiscordRefusal("place_gone", error);
        throw error;
      }
      return;
    }
    const patch = (request: Request): Promise<unknown> =>
      rest.patch(Routes.channelMessage(channel, message), request);
    try {
      await send(view, ref, (request) =>
        patch(request).catch(async (error: unknown) => {
          if (discordCode(error) !== THREAD_ARCHIVED) throw error;
          // Messages of an archived thread cannot be edited: it is opened first.
          await rest.patch(Routes.channel(channel), { body: { archived: false } });
          return patch(request);
        }),
      );
    } catch (error) {
      if (discordCode(error) !== Code.MissingAccess || token === undefined) throw error;
      // Where the bot cannot look into the channel, the interaction still reaches its answer for a while.
      await send(view, ref, (request) => editByToken(token, request, message));
    }
  }

  function editByToken(token: string, request: Request, message?: string): Promise<unknown> {
    return rest.patch(Routes.webhookMessage(me().app, token, message), { ...request, auth: false });
  }

  return {
    surface: "discord",
    async post(place, view) {
      const read = readPlace(place);
      const ref = await rooms.posting(read.channel, () => post(read, view)).catch(refuse);
      await tellLinks(ref, view, deps);
      return toRef(ref);
    },
    async edit(given, view) {
      const ref = readRef(given);
      await edit(ref, view).catch(refuse);
      await tellLinks(ref, view, deps);
    },
    async find(given, turnId) {
      const place = readPlace(given);
      // Discord does not list what one person was shown; filling the same answer twice shows it once.
      if (place.isPrivate === true) return undefined;
      const ref = await findMessage(place, nonceOf(turnId), deps);
      return ref === undefined ? undefined : toRef(ref);
    },
    statusDelayMs: () => deps.options.status_after_ms,
    notify: createNotify(deps),
    redraw: (ref, read) => redraw(read, (view) => edit(ref, view)),
    async share(place, view) {
      const read = readPlace(place);
      await rooms.posting(read.channel, () => post(read, view, true));
    },
  };
}

/** Not among the numbers of the package. */
const THREAD_ARCHIVED = 50_083;

const TOKEN_GONE: readonly unknown[] = [
  Code.UnknownWebhook,
  Code.InvalidWebhookToken,
  Code.UnknownMessage,
  Code.UnknownInteraction,
];

/** A day: posting opens it again. */
const ARCHIVE_MINUTES = 1440;

/** Why there can be no thread there: the answer is a reply then. */
const NO_THREADS: readonly unknown[] = [
  Code.MissingPermissions,
  Code.MissingAccess,
  Code.CannotExecuteActionOnThisChannelType,
  Code.UnknownMessage,
  Code.MaximumActiveThreads,
];

/** Starts the thread of a message, or finds it started; undefined where none can be. */
async function openThread(
  channel: string,
  starter: string,
  words: string,
  { rest, log }: DiscordDeps,
): Promise<string | undefined> {
  // Names are shown as they are.
  const name = oneLine(words, LIMITS.thread.name) || "Countersign";
  const body = { name, auto_archive_duration: ARCHIVE_MINUTES };
  try {
    const thread = (await rest.post(Routes.threads(channel, starter), { body })) as APIThreadChannel;
    return thread.id;
  } catch (error) {
    const code = discordCode(error);
    // Its id is that of its message.
    if (code === Code.ThreadAlreadyCreatedForMessage) return starter;
    if (!NO_THREADS.includes(code)) throw error;
    log.debug({ channel, code }, "no thread can be started there, the answer is a reply");
    return undefined;
  }
}

/**
 * Shows pages that a turn waits for to the person who began it by an interaction: its token reaches them for
 * fifteen minutes. After that, and where somebody was only mentioned, a button of the message shows them.
 * Never rejects.
 */
async function tellLinks(
  { token }: DiscordRef,
  view: TurnView,
  { rest, told, values, me, log }: DiscordDeps,
): Promise<void> {
  if (token === undefined) return;
  await showLinksOnce(view, told, async (question) => {
    try {
      const { components, values: long } = renderLinkQuestion(question, wordsOf(view.language));
      for (const [key, value] of long) await values.set(key, value);
      const body = { components, flags: FOR_ONE, allowed_mentions: { parse: [] } };
      await rest.post(Routes.webhook(me().app, token), { body, auth: false });
      return true;
    } catch (error) {
      log.debug({ error, question: question.id }, "a page is shown at its button only");
      return false;
    }
  });
}

type Body = RESTPatchAPIChannelMessageJSONBody;

interface Request {
  body: Body;
  files?: RawFile[];
}

/** The message as it was; without `message` it is a new one. */
type Target = Pick<DiscordRef, "isAnswer" | "isEmbeds" | "isPrivate"> & { message?: string };

/** Draws a turn and sends it, with the files that the message does not have yet. */
export type Send = (
  view: TurnView,
  target: Target,
  call: (request: Request) => Promise<unknown>,
) => Promise<{ sent: APIMessage; isEmbeds: boolean }>;

function createSend(deps: DiscordDeps): Send {
  async function attempt(
    view: TurnView,
    target: Target,
    isEmbeds: boolean,
    call: (request: Request) => Promise<unknown>,
  ): Promise<APIMessage> {
    const { message } = target;
    const has = message === undefined ? [] : ((await deps.files.get(message)) ?? []);
    const prepare = async (charts: "file" | "text"): Promise<[RenderedMessage, CallUpload[]]> => {
      const rendered = await draw(await withNames(view, deps.nameOf), target, { isEmbeds, charts }, deps);
      return [rendered, await missingFiles(view, rendered, has, deps)];
    };
    const [rendered, missing] = await prepare("file").catch((error: unknown) => {
      deps.log.error({ error, turn: view.turnId }, "a message is drawn without pictures");
      return prepare("text");
    });
    for (const [key, value] of rendered.values) await deps.values.set(key, value);
    const body = bodyOf(view, rendered, isEmbeds);
    const sent = (await call(withFiles(body, missing, has))) as APIMessage;
    if (missing.length > 0) {
      const files = sent.attachments.map(({ id, filename }) => ({ id, filename }));
      await deps.files.set(sent.id, files);
    }
    return sent;
  }

  return async (view, target, call) => {
    const isNew = target.message === undefined;
    const isEmbeds = isNew ? deps.options.embeds : target.isEmbeds === true;
    try {
      return { sent: await attempt(view, target, isEmbeds, call), isEmbeds };
    } catch (error) {
      if (discordCode(error) !== Code.InvalidFormBodyOrContentType) throw error;
      deps.log.error({ error, turn: view.turnId }, "Discord refused how a message was drawn");
      // A new message may still be of the other kind; another says in words that there is something.
      if (isNew && !isEmbeds) return { sent: await attempt(view, target, true, call), isEmbeds: true };
      return { sent: (await call({ body: plainBody(isEmbeds, view) })) as APIMessage, isEmbeds };
    }
  };
}

/** The message of a turn. `isEmbeds`: it has to fit embeds. */
async function draw(
  view: TurnView,
  { isAnswer, isPrivate = false }: Target,
  { isEmbeds, charts }: { isEmbeds: boolean; charts: "file" | "text" },
  { cards, pages }: DiscordDeps,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  return renderTurn(view, cards, {
    ...(open === undefined ? {} : { pages: open }),
    ...(isEmbeds ? { budget: EMBEDS_BUDGET } : {}),
    isPrivate,
    charts,
    // Who alone sees it knows what they asked.
    ...(isAnswer || isPrivate ? {} : { above: small(words(oneLine(view.message, 150))) }),
  });
}

async function missingFiles(
  view: TurnView,
  { files }: RenderedMessage,
  has: readonly { filename: string }[],
  { core }: DiscordDeps,
): Promise<CallUpload[]> {
  const isMissing = ({ filename }: { filename: string }): boolean =>
    has.every((file) => file.filename !== filename);
  const brought = view.isSettled ? callFiles(view, BROUGHT).attached.filter(isMissing) : [];
  const read = brought.map(async (one): Promise<CallUpload> => {
    const [found] = await readCallFiles([one], core);
    // What the store has no more is named by the message all the same: an empty file keeps its place.
    return found ?? { filename: one.filename, file: Buffer.from(""), title: one.filename };
  });
  const made = files
    .filter(isMissing)
    .map(async (file) => ({ filename: file.filename, file: await contentOf(file), title: file.title }));
  return [...(await Promise.all(made)), ...(await Promise.all(read))];
}

/** Nobody is notified by what data says. */
const QUIET = { allowed_mentions: { parse: [], replied_user: false } } satisfies Body;

/** The first component carries the mark by which the message is found again. */
function bodyOf({ turnId }: TurnView, rendered: RenderedMessage, isEmbeds: boolean): Body {
  const parts: { components: APIMessageTopLevelComponent[]; embeds?: APIEmbed[] } = isEmbeds
    ? toEmbeds(rendered.components)
    : rendered;
  const { mark } = nonceOf(turnId);
  const components = parts.components.map((one, index) => (index === 0 ? { ...one, id: mark } : one));
  if (parts.embeds !== undefined) return { ...QUIET, components, embeds: parts.embeds };
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function plainBody(isEmbeds: boolean, { language }: TurnView): Body {
  const { undrawable } = wordsOf(language).turn;
  if (isEmbeds) return { ...QUIET, embeds: [{ description: undrawable }], components: [] };
  const components = [{ type: ComponentType.TextDisplay as const, content: undrawable }];
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function withFiles(body: Body, missing: readonly CallUpload[], has: readonly { id: string }[]): Request {
  if (missing.length === 0) return { body };
  const added = missing.map(({ filename, title }, id) => ({ id, filename, description: title }));
  return {
    body: { ...body, attachments: [...has.map(({ id }) => ({ id })), ...added] },
    files: missing.map(({ filename, file }) => ({ name: filename, data: file })),
  };
}
