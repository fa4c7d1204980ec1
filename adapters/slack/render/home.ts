import type { HomeView, KnownBlock } from "@slack/types";

import type { Health } from "#contract/core.ts";
import { cutText, oneLine } from "#src/base/text.ts";
import { en, type Words } from "#src/base/words/en.ts";

import { type ButtonSpec, detailsButton } from "../../chat/actions.ts";
import { type Inbox, inboxText, recentLines } from "../../chat/inbox.ts";
import { cleanText } from "../../chat/text.ts";
import { bold, italic, words } from "../../chat/line.ts";
import { buttonBlocks, lineWithButton } from "./buttons.ts";
import { inboxBlocks } from "./inbox.ts";
import { VIEW_BUDGET } from "./limits.ts";
import { contextBlocks, pack, plain } from "./rich.ts";

/** What a person sees when they open the app. */
export interface Home {
  health: Health;
  /** Things to ask, as buttons that send `message`. */
  prompts: readonly { title: string; message: string }[];
  inbox: Inbox;
  /** Channels whose settings this person may change. */
  channels: readonly HomeChannel[];
  /** Default: English. */
  say?: Words;
}

export interface HomeChannel {
  id: string;
  name: string;
  /** No byte of a tool result goes to a model. */
  privacy: boolean;
  /** The configuration says so: nobody can change it here. */
  isFixed?: boolean;
  /** Who made it private. */
  setBy?: string;
}

const MAX_PROMPTS = 10;
const MAX_CHANNELS = 25;

/** The app home: status, things to ask, approvals that wait for this person, privacy of channels. */
export function renderHome(home: Home): HomeView {
  const { say = en } = home;
  const blocks = [
    ...status(home.health, say),
    ...prompts(home.prompts, say),
    ...approvals(home.inbox, say),
    ...channels(home.channels, say),
  ];
  return { type: "home", callback_id: "cs:home", blocks: blocks.slice(0, VIEW_BUDGET.blocks) };
}

function title(text: string): KnownBlock {
  return { type: "header", text: plain(text) };
}

function status(
  { status: state, version, model, servers, store, surfaces = {} }: Health,
  { home: say, notices }: Words,
): KnownBlock[] {
  const sign = state === "ok" ? "🟢" : state === "starting" ? "🔵" : "🟠";
  const said = { ok: say.allWell, starting: say.starting, degraded: say.degraded }[state];
  const reason = model.reason === undefined ? "" : ` (${oneLine(model.reason)})`;
  const trouble = [
    ...servers
      .filter((server) => server.status !== "up")
      .map(({ name, status: how, error, note }) =>
        error === undefined ? `${name}: ${note ?? how}` : `${name}: ${how}, ${oneLine(error)}`,
      ),
    ...(model.reachable ? [] : [say.modelSilent(model.model, reason)]),
    ...Object.entries(surfaces).flatMap(([name, surface]) =>
      surface.error === undefined ? [] : [`${name}: ${oneLine(surface.error)}`],
    ),
    ...(store.ok ? [] : [say.storeSilent(store.error === undefined ? "" : `: ${oneLine(store.error)}`)]),
  ];
  const up = servers.filter((server) => server.status === "up");
  const tools = up.reduce((sum, server) => sum + server.tools, 0);
  const planner = model.provider === "builtin" ? say.builtin : model.model;
  return [
    title("Countersign"),
    ...pack([
      [...words(`${sign} `), ...bold(said)],
      ...trouble.slice(0, 10).map((line) => words(cutText(cleanText(line), 200))),
      ...(trouble.length > 10 ? [italic(notices.andMore(trouble.length - 10))] : []),
    ]),
    ...contextBlocks([
      `${say.tools(tools, up.length)}  ·  ${cutText(planner, 100)}  ·  ${cutText(version, 50)}`,
      ...(up.length === 0 ? [] : [cutText(up.map(({ name }) => name).join(", "), 300)]),
    ]),
  ];
}

function prompts(items: Home["prompts"], { home: say }: Words): KnownBlock[] {
  if (items.length === 0) return [];
  const specs = items.slice(0, MAX_PROMPTS).map((item): ButtonSpec => ({
    action: "prompt",
    label: cutText(oneLine(item.title), 75),
    value: item.message,
  }));
  return [title(say.thingsToAsk), ...buttonBlocks(specs)];
}

function approvals(inbox: Inbox, say: Words): KnownBlock[] {
  const heading = title(say.inbox.title);
  if (inbox.groups.length === 0)
    return [heading, ...pack([italic(inboxText(inbox, say)), ...recentLines(inbox, say)])];
  // Whoever decides has to see what will be sent: the details show it, and the message itself.
  return [heading, ...inboxBlocks(inbox, say, (approval) => [detailsButton(approval)])];
}

function channels(items: Home["channels"], { home: say, buttons, notices }: Words): KnownBlock[] {
  if (items.length === 0) return [];
  const lines = items.slice(0, MAX_CHANNELS).map((channel) => {
    const name = cutText(oneLine(channel.name), 80);
    if (channel.isFixed === true) return line(`#${name}\n${say.fixedPrivate}`);
    const by = channel.setBy === undefined ? "" : ` ${say.madeIt(cutText(oneLine(channel.setBy), 80))}`;
    return channel.privacy
      ? lineWithButton(`#${name}\n${say.isPrivate}${by}`, {
          action: "privacy",
          label: buttons.allowSummaries,
          value: `${channel.id}|off`,
        })
      : lineWithButton(`#${name}\n${say.mayBeSent}`, {
          action: "privacy",
          label: buttons.makePrivate,
          value: `${channel.id}|on`,
        });
  });
  const rest = items.length - lines.length;
  return [title(say.privacy), ...lines, ...(rest > 0 ? contextBlocks([notices.andMore(rest)]) : [])];
}

function line(text: string): KnownBlock {
  return { type: "section", text: plain(text) };
}
