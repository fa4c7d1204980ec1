import type { App } from "@slack/bolt";
import type { ModalView } from "@slack/types";

import type { Presenter } from "#contract/present.ts";
import type { TurnRequest } from "#contract/turn.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import type { ClientOf } from "../install/client.ts";
import { channelOf, secondsAgo, type SlackPlace, toPlace } from "../ids.ts";
import type { SlackDeps, SlackOptions } from "../options.ts";
import { type Person, personOf } from "../receive/event.ts";
import type { People } from "../receive/people.ts";
import type { StateValues } from "../render/form.ts";
import type { SendEphemeral } from "../send/ephemeral.ts";
import { type Click, type Seen, seenIn } from "./interaction.ts";

/** What handlers work with, beside what the composition root hands over. */
export interface SlackContext extends SlackDeps {
  presenter: Pick<Presenter, "submit">;
  client: ClientOf;
  sendEphemeral: SendEphemeral;
  /** The conversation of a thread. */
  conversation: (team: string, channel: string, thread: string) => Promise<string>;
  people: People;
  /** The address of the message that shows a turn; undefined where there is none to be had. */
  link: (turnId: string) => Promise<string | undefined>;
  slashAnswers: SlackOptions["slash_answers"];
}

/** A turn, where it is shown, and since when; without a thread its answer begins one. */
type TurnStart = Omit<TurnRequest, "surface" | "channel"> & SlackPlace;

/** Begins a turn; it is durable when this resolves: to whether it was there already. Rejects when it could not be recorded. */
export async function startTurn(
  { team, channel, thread, since = secondsAgo(60), respond, isPrivate, ...request }: TurnStart,
  { presenter }: Pick<SlackContext, "presenter">,
): Promise<boolean> {
  const { duplicate } = await presenter.submit(
    { surface: "slack", channel: channelOf(team, channel), ...request },
    toPlace({ team, channel, thread, since, respond, isPrivate }),
  );
  return duplicate;
}

/** What is written in a channel; outside of one, such as in the Home, in the general language. */
export function wordsAt(
  place: { team: string; channel: string } | undefined,
  { language }: Pick<SlackContext, "language">,
): Words {
  return wordsOf(language(place === undefined ? "" : channelOf(place.team, place.channel)));
}

/** Shows a window, on top of the one in which the button stands. */
export async function showWindow(
  { team, triggerId, window }: Click,
  view: ModalView,
  { client: clientOf }: Pick<SlackContext, "client">,
): Promise<void> {
  const client = await clientOf(team);
  const open = window?.type === "modal" ? client.views.push : client.views.open;
  await open({ trigger_id: triggerId, view });
}

/** What a person sent with a window. */
export interface Submission extends Person, Seen {
  viewId: string;
  metadata: string;
  values: StateValues;
}

/** What is wrong with what was sent, by block. */
export type Faults = Record<string, string>;

/** Handles a window with inputs: what it does is durable before it closes. */
export function handleWindow(
  app: App,
  callbackId: string,
  submit: (sent: Submission) => Promise<Faults | undefined>,
): void {
  app.view(callbackId, async ({ body, ack, context }) => {
    if (body.type !== "view_submission") return ack();
    const { id: viewId, private_metadata: metadata, state } = body.view;
    const sent = { ...personOf(body), viewId, metadata, values: state.values, approvals: seenIn(context) };
    const errors = await submit(sent);
    return errors === undefined ? ack() : ack({ response_action: "errors", errors });
  });
}
