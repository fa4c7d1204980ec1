import { escapeUTF8 as escape } from "entities";
import { type Child, jsx as el } from "hono/jsx";

import { toHtml } from "#adapters/preview/frame.ts";
import { drawFile, drawMessage } from "#adapters/preview/slack/message.ts";
import { wordsOf } from "#adapters/preview/context.ts";

import type { Person } from "../person.ts";
import type { Channel, Fields, Message, User, World } from "../types.ts";
import { directChannel, messageAt, teamOf } from "../world.ts";
import { drawWorking, lookOf } from "./draw.ts";

/** Slack clears a status line by itself. */
const STATUS_LIFE_MS = 120_000;

export interface Looking {
  person: Person;
  /** A channel's id, `dm` or `home`. */
  place: string;
  thread: string | undefined;
}

/** What one person sees now, as JSON with pieces of HTML for the page to put in place. */
export function pageState(world: World, { person, place, thread }: Looking): Fields {
  const { user } = person;
  const bot = teamOf(world, user.team).botUserId;
  const dm = directChannel(world, user);
  const channels = [...world.channels.values()].filter(
    ({ team, kind, members }) => team === user.team && kind !== "im" && members.has(user.id),
  );
  const channel = place === "dm" ? dm : channels.find(({ id }) => id === place);
  const visible = world.messages.filter(
    (message) =>
      message.channel === channel?.id &&
      !message.deleted &&
      (message.ephemeralFor === undefined || message.ephemeralFor === user.id),
  );
  const inThread = (message: Message): boolean => message.ts === thread || message.thread_ts === thread;
  const top = visible.filter(({ ts, thread_ts }) => thread_ts === undefined || thread_ts === ts);
  const replies = thread === undefined ? [] : visible.filter(inThread);
  return {
    people: [...world.users.values()]
      .filter(({ team, isBot }) => team === user.team && !isBot)
      .map(({ name, realName, isAdmin, isGuest }) => ({
        name,
        label: `${realName}${role(isAdmin, isGuest)}`,
      })),
    channels: channels.map(({ id, name, kind, members }) => ({
      id,
      name,
      sign: kind === "private" ? "🔒" : "#",
      bot: members.has(bot),
    })),
    title: place === "home" ? "Home" : place === "dm" ? world.app.name : `# ${channel?.name ?? ""}`,
    commands: world.app.commands ?? [],
    messages: place === "home" ? home(world, user) : top.map((m) => article(world, m, visible)).join(""),
    prompts: channel === undefined ? "" : prompts(world, channel),
    thread: replies.map((message) => article(world, message, [])).join("") + status(world, channel, thread),
    modal: modal(world, user),
  };
}

function role(isAdmin: boolean, isGuest: boolean): string {
  if (isAdmin) return " (admin)";
  return isGuest ? " (guest)" : "";
}

function article(world: World, message: Message, among: readonly Message[]): string {
  const author = world.users.get(message.user);
  const replies = among.filter(({ thread_ts, ts }) => thread_ts === message.ts && ts !== message.ts).length;
  const note = [
    new Date(Number(message.ts) * 1000).toISOString().slice(11, 19),
    message.edited === undefined ? "" : "(edited)",
    message.ephemeralFor === undefined ? "" : "· only visible to you",
  ].filter((part) => part !== "");
  const plain = { type: "section", text: { type: "mrkdwn", text: message.text || " " } };
  const reactions = message.reactions.map(({ name, users }) => el("span", null, `:${name}: ${users.length}`));
  const shortcuts = world.app.shortcuts
    .filter(({ type }) => type === "message")
    .map(({ callback_id: shortcut, name }) =>
      el("button", { "data-shortcut": shortcut, "data-ts": message.ts }, name),
    );
  const opens = message.ephemeralFor === undefined && among.length > 0;
  const reply = replies > 0 ? `${replies} ${replies === 1 ? "reply" : "replies"}` : "Reply";
  const drawn = drawMessage(
    {
      author: author?.realName ?? message.user,
      isApp: author?.isBot === true,
      note: note.join(" "),
      blocks: message.blocks ?? [plain],
      after: [
        ...message.files.map((id) => file(world, id)),
        el(
          "footer",
          null,
          ...reactions,
          opens ? el("button", { "data-thread": message.ts }, reply) : null,
          ...shortcuts,
        ),
      ],
    },
    lookOf({ world, target: message.ts, values: {} }),
  );
  return toHtml(el("article", { "data-ts": message.ts }, drawn));
}

function file(world: World, id: string): Child {
  const found = world.files.get(id);
  if (found === undefined) return null;
  const href = `/files/${found.id}/${encodeURIComponent(found.name)}`;
  return drawFile(found.name, `${found.title} · ${found.length} bytes`, href);
}

function home(world: World, user: User): string {
  const view = world.views.get(world.homes.get(user.id) ?? "")?.view;
  if (view === undefined)
    return `<p class="empty">The app has not published a home for ${escape(user.realName)}.</p>`;
  const drawn = drawWorking({ world, target: view.id, values: view.state.values }, view.blocks);
  return toHtml(el("div", { class: "sl-blocks" }, ...drawn));
}

function modal(world: World, user: User): Fields | null {
  const view = world.views.get(world.modals.get(user.id)?.at(-1) ?? "")?.view;
  if (view === undefined) return null;
  return {
    id: view.id,
    hash: view.hash,
    title: escape(wordsOf(view.title)),
    submit: escape(wordsOf(view.submit)),
    close: escape(wordsOf(view.close)) || "Cancel",
    body: toHtml(...drawWorking({ world, target: view.id, values: view.state.values }, view.blocks)),
  };
}

function prompts(world: World, channel: Channel): string {
  const found = world.prompts.get(`${channel.id}:`);
  if (found === undefined) return "";
  const buttons = found.prompts.map(
    ({ title, message }) => `<button data-prompt="${escape(message)}">${escape(title)}</button>`,
  );
  return `${found.title === undefined ? "" : `<b>${escape(found.title)}</b> `}${buttons.join("")}`;
}

/** The line under a thread while the agent works in it, with the stop button. */
function status(world: World, channel: Channel | undefined, thread: string | undefined): string {
  if (channel === undefined || thread === undefined || messageAt(world, thread) === undefined) return "";
  const key = `${channel.id}:${thread}`;
  const said = world.statuses.get(key);
  const line = said !== undefined && world.clock.now() - said.at < STATUS_LIFE_MS ? said : undefined;
  const working = world.sessions.get(key)?.status === "processing";
  if (line === undefined && !working) return "";
  const stop = working ? `<button data-stop="${thread}">Stop</button>` : "";
  return `<p class="status">${escape(world.app.name)} ${escape(line?.status ?? "is working")} ${stop}</p>`;
}
