import type { Context } from "./api/method.ts";
import type { Deliveries, Outcome } from "./delivery.ts";
import { messageChanged, messagePosted } from "./events.ts";
import { initialState } from "./form.ts";
import { actionOf, controlNamed, fill } from "./hands.ts";
import { newResponseUrl, showResponse } from "./respond.ts";
import { messageShape } from "./shapes.ts";
import type { Structure } from "./structure.ts";
import { afterSubmit } from "./submission.ts";
import type { Submission } from "./submission.ts";
import { escaped, richText } from "./typed-text.ts";
import { SlackError } from "./types.ts";
import type { Channel, Fields, Message, Team, User, View, World } from "./types.ts";
import { addMessage, directChannel, isOrgWide, messageAt, teamOf } from "./world.ts";

/** Where a person writes: a channel by name or id, `"dm"`, or the thread of a message. */
export type Place = string | { channel: string; thread_ts?: string; ts?: string };

/** What one member of the workspace can do with their hands. */
export interface Person {
  readonly id: string;
  readonly user: User;
  /** Writes a message; `<@id>` in the text mentions. */
  say(place: Place, text: string): Message;
  /** Writes a message that begins by mentioning the bot. */
  mention(place: Place, text: string): Message;
  edit(ts: string, text: string): void;
  remove(ts: string): void;
  react(ts: string, name: string): void;
  /** Resolves when the app acknowledged, or Slack gave up. */
  command(command: string, text: string, channel: string): Promise<Outcome>;
  /**
   * Presses a button or chooses in a menu of a message (by ts) or an open view (by id). The control is named by
   * action_id or by what stands on it; `value` is what is chosen.
   */
  click(target: string, control: string, value?: unknown): Promise<Outcome>;
  /** Sends any interaction in this person's name, as Slack's own app would not. */
  forge(payload: Fields): Promise<Outcome>;
  /** Fills the open modal, by action_id, label or block_id, and submits it. */
  submit(view: View | undefined, values: Record<string, unknown>): Promise<Submission>;
  closeView(view?: View): Promise<Outcome | undefined>;
  /** A message shortcut, or without a message a global one. */
  shortcut(callbackId: string, ts?: string): Promise<Outcome>;
  openHome(tab?: "home" | "messages"): void;
  /** Presses "stop" in a thread that the agent works in. */
  stop(thread: string): void;
}

export interface PeopleSetup {
  world: World;
  structure: Structure;
  deliveries: Deliveries;
}

export function createPerson({ world, structure, deliveries }: PeopleSetup, user: User): Person {
  const team = teamOf(world, user.team);
  const context: Context = { world, structure, team, ticket: () => "" };
  const base = (): Fields => ({
    team: isOrgWide(team) ? null : { id: team.id, domain: team.domain },
    user: { id: user.id, username: user.name, name: user.name, team_id: team.id },
    api_app_id: world.app.id,
    token: "fake-verification-token",
    enterprise: team.org === undefined ? null : { id: team.org.id, name: team.org.name },
    is_enterprise_install: isOrgWide(team),
  });

  const placeOf = (place: Place): { channel: Channel; thread: string | undefined } => {
    const name = typeof place === "string" ? place : place.channel;
    const thread = typeof place === "string" ? undefined : (place.thread_ts ?? place.ts);
    const channel = name === "dm" ? directChannel(world, user) : channelNamed(world, team, name);
    if (!channel.members.has(user.id)) throw new Error(`${user.name} is not in ${channel.name}`);
    return { channel, thread };
  };

  const say = (place: Place, text: string): Message => {
    const { channel, thread } = placeOf(place);
    const message: Message = {
      ts: world.nextTs(),
      channel: channel.id,
      team: team.id,
      user: user.id,
      text: escaped(text),
      blocks: [richText(text)],
      files: [],
      reactions: [],
      history: [],
      deleted: false,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    };
    addMessage(world, message);
    messagePosted(world, channel, message);
    world.changed();
    return message;
  };

  const readable = (ts: string): { message: Message; channel: Channel } => {
    const message = messageAt(world, ts);
    const channel = message === undefined ? undefined : world.channels.get(message.channel);
    if (message === undefined || channel === undefined) throw new Error(`expected a message, got ts "${ts}"`);
    const hidden = message.ephemeralFor !== undefined && message.ephemeralFor !== user.id;
    if (!channel.members.has(user.id) || hidden) throw new Error(`${user.name} does not see message ${ts}`);
    return { message, channel };
  };

  const own = (ts: string): { message: Message; channel: Channel } => {
    const found = readable(ts);
    if (found.message.user !== user.id) throw new Error(`message ${ts} is not ${user.name}'s`);
    return found;
  };

  const trigger = (): string => {
    const id = `${world.nextTs().replace(".", "")}.${world.nextId("")}`;
    world.triggers.set(id, { user: user.id, team: team.id, at: world.clock.now(), used: false });
    return id;
  };

  const interact = (payload: Fields): Promise<Outcome> =>
    deliveries.send({ kind: "interactive", payload: { ...base(), ...payload } });

  const topView = (view: View | undefined): View => {
    const top = world.modals.get(user.id)?.at(-1);
    const found = world.views.get(view?.id ?? top ?? "")?.view;
    if (found === undefined || found.id !== top) throw new Error(`${user.name} has no such modal on top`);
    return found;
  };

  const clickMessage = (ts: string, name: string, value: unknown): Promise<Outcome> => {
    const { message, channel } = readable(ts);
    const control = controlNamed(message.blocks ?? [], name);
    const values = initialState(message.blocks ?? []);
    const isEphemeral = message.ephemeralFor !== undefined;
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    return interact({
      type: "block_actions",
      container: {
        type: "message",
        message_ts: ts,
        channel_id: channel.id,
        is_ephemeral: isEphemeral,
        ...thread,
      },
      channel: { id: channel.id, name: channel.kind === "im" ? "directmessage" : channel.name },
      ...(isEphemeral ? {} : { message: messageShape(world, message) }),
      state: { values },
      trigger_id: trigger(),
      response_url: newResponseUrl(world, {
        channel: channel.id,
        team: team.id,
        user: user.id,
        message: ts,
        thread: message.thread_ts,
      }),
      actions: [actionOf(world, control, value, values)],
    });
  };

  const clickView = (id: string, name: string, value: unknown): Promise<Outcome> => {
    const open = world.views.get(id);
    const showing = open?.view.type === "home" || world.modals.get(user.id)?.includes(id) === true;
    if (open === undefined || open.user !== user.id || !showing)
      throw new Error(`${user.name} sees no view ${id}`);
    const control = controlNamed(open.view.blocks, name);
    const action = actionOf(world, control, value, open.view.state.values);
    return interact({
      type: "block_actions",
      container: { type: "view", view_id: id },
      view: open.view,
      trigger_id: trigger(),
      actions: [action],
    });
  };

  return {
    id: user.id,
    user,
    say,
    mention: (place, text) => say(place, `<@${team.botUserId}> ${text}`),
    edit(ts, text) {
      const { message, channel } = own(ts);
      const previous = messageShape(world, message);
      message.history.push({ text: message.text });
      Object.assign(message, {
        text: escaped(text),
        blocks: [richText(text)],
        edited: { user: user.id, ts: world.nextTs() },
      });
      messageChanged(world, channel, message, previous);
      world.changed();
    },
    remove(ts) {
      const { message, channel } = own(ts);
      const previous = messageShape(world, message);
      message.deleted = true;
      messageChanged(world, channel, message, previous);
      world.changed();
    },
    react(ts, name) {
      const { message, channel } = readable(ts);
      const found = message.reactions.find((reaction) => reaction.name === name);
      if (found === undefined) message.reactions.push({ name, users: [user.id] });
      else if (!found.users.includes(user.id)) found.users.push(user.id);
      if (channel.members.has(team.botUserId)) {
        const item = { type: "message", channel: channel.id, ts };
        const event_ts = world.nextTs();
        world.emit(team, {
          type: "reaction_added",
          user: user.id,
          reaction: name,
          item,
          item_user: message.user,
          event_ts,
        });
      }
      world.changed();
    },
    async command(command, text, name) {
      const { channel } = placeOf(name);
      if (world.app.commands?.includes(command) === false)
        throw new Error(`${command} is not a command of the app`);
      const at = { channel: channel.id, user: user.id, message: undefined, thread: undefined };
      const outcome = await deliveries.send({
        kind: "slash_commands",
        payload: {
          token: "fake-verification-token",
          team_id: team.id,
          team_domain: team.domain,
          channel_id: channel.id,
          channel_name: channel.kind === "im" ? "directmessage" : channel.name,
          user_id: user.id,
          user_name: user.name,
          command,
          text: escaped(text),
          api_app_id: world.app.id,
          ...(team.org === undefined ? {} : { enterprise_id: team.org.id }),
          is_enterprise_install: String(isOrgWide(team)),
          response_url: newResponseUrl(world, { ...at, team: team.id }),
          trigger_id: trigger(),
        },
      });
      const response = outcome.ok ? outcome.response : undefined;
      const body = typeof response === "string" ? { text: response } : response;
      if (body !== undefined && (body.text !== undefined || body.blocks !== undefined)) {
        quietly(() => showResponse(context, "slash_commands", at, body));
      }
      return outcome;
    },
    click: (target, control, value) =>
      world.views.has(target) ? clickView(target, control, value) : clickMessage(target, control, value),
    forge: (payload) => interact({ trigger_id: trigger(), ...payload }),
    async submit(view, values) {
      const open = topView(view);
      fill(open, values);
      const outcome = await interact({
        type: "view_submission",
        view: open,
        trigger_id: trigger(),
        response_urls: [],
      });
      const result = afterSubmit(context, user, open, outcome);
      world.changed();
      return result;
    },
    async closeView(view) {
      const open = topView(view);
      world.modals.get(user.id)?.pop();
      world.changed();
      if (open.notify_on_close !== true) return undefined;
      return interact({ type: "view_closed", view: open, is_cleared: false });
    },
    shortcut(callbackId, ts) {
      const common = { callback_id: callbackId, trigger_id: trigger(), action_ts: world.nextTs() };
      if (ts === undefined) return interact({ type: "shortcut", ...common });
      const { message, channel } = readable(ts);
      return interact({
        type: "message_action",
        ...common,
        message_ts: ts,
        channel: { id: channel.id, name: channel.kind === "im" ? "directmessage" : channel.name },
        message: messageShape(world, message),
        response_url: newResponseUrl(world, {
          channel: channel.id,
          team: team.id,
          user: user.id,
          message: ts,
          thread: message.thread_ts,
        }),
      });
    },
    openHome(tab = "home") {
      const view = world.views.get(world.homes.get(user.id) ?? "")?.view;
      const channel = directChannel(world, user).id;
      const event = { type: "app_home_opened", user: user.id, channel, tab, event_ts: world.nextTs() };
      world.emit(team, { ...event, ...(tab === "home" && view !== undefined ? { view } : {}) });
    },
    stop(thread) {
      const { message, channel } = readable(thread);
      const streaming = world.messages.filter(
        ({ stream, thread_ts }) => stream?.state === "open" && thread_ts === message.ts,
      );
      world.emit(team, {
        type: "agent_session_stopped",
        channel: channel.id,
        user: user.id,
        thread_ts: thread,
        streaming_message_ts: streaming.map(({ ts }) => ts),
        event_ts: world.nextTs(),
      });
    },
  };
}

export function channelNamed(world: World, team: Team, name: string): Channel {
  const plain = name.replace(/^#/, "");
  const found =
    world.channels.get(name) ??
    [...world.channels.values()].find((c) => c.team === team.id && c.kind !== "im" && c.name === plain);
  if (found === undefined) throw new Error(`expected a channel of ${team.name}, got "${name}"`);
  return found;
}

/** A refusal is kept in `sent`; the person only sees that nothing came. */
function quietly(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
  }
}
