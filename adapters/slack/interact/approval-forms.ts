import type { App, ViewSubmitAction } from "@slack/bolt";
import { z } from "zod";

import type { ApprovalForm, ApprovalTopic } from "#contract/approval-actions.ts";

import { errorForUser } from "../../chat/actions.ts";
import type { ChatParts } from "../../chat/parts.ts";
import { actorOf, teamOfInteraction } from "../ids.ts";
import type { ClientOf } from "../install/client.ts";
import { renderCard } from "../render/card.ts";
import { formErrors, readForm, renderForm } from "../render/form.ts";
import { VIEW_BUDGET } from "../render/limits.ts";
import type { EphemeralTarget, SendEphemeral } from "../send/ephemeral.ts";
import type { Click } from "./interaction.ts";

export interface ApprovalFormDeps extends Pick<ChatParts, "desk" | "log"> {
  client: ClientOf;
  tell: SendEphemeral;
}

const CALLBACK = "cs:desk";

/** Room for the inputs below a card. */
const INPUTS = 30;

/** Opens a window that asks the person who pressed. */
export async function openApprovalForm(
  click: Click,
  question: ApprovalForm,
  parts: ApprovalFormDeps,
): Promise<void> {
  const above = aboveInputs(question);
  if (above === undefined) return parts.tell(click.ear, TOO_LONG);
  const view = renderForm(question.form, {
    callbackId: CALLBACK,
    metadata: metadataOf(click, question.topic),
    submit: question.submit,
    above,
    ...(question.note === undefined ? {} : { note: question.note }),
  });
  const client = await parts.client(click.team);
  const open = click.window?.type === "modal" ? client.views.push : client.views.open;
  await open({ trigger_id: click.triggerId, view });
  return undefined;
}

/** What a person says yes to stands above the inputs as a whole; undefined where there is no room for it. */
function aboveInputs({ card }: ApprovalForm): ReturnType<typeof renderCard>["blocks"] | undefined {
  if (card === undefined) return [];
  const budget = { ...VIEW_BUDGET, blocks: VIEW_BUDGET.blocks - INPUTS };
  const { blocks, pages } = renderCard(card, { budget, tables: false, unfold: true });
  return pages === 1 ? blocks : undefined;
}

/** Handles what people send with these windows: what it does is durable before Slack hears of it. */
export function handleApprovalForms(app: App, parts: ApprovalFormDeps): void {
  app.view(CALLBACK, async ({ body, ack }) => {
    if (body.type !== "view_submission") return ack();
    const errors = await onSubmit(body, parts);
    return errors === undefined ? ack() : ack({ response_action: "errors", errors });
  });
}

async function onSubmit(
  body: ViewSubmitAction,
  { desk, tell, log }: ApprovalFormDeps,
): Promise<Record<string, string> | undefined> {
  const { topic, ...place } = readMetadata(body.view.private_metadata);
  const ear = earOf(body, place);
  const { user, team } = body;
  const actor = actorOf(user.team_id ?? team?.id ?? "", user.id);
  const question = await desk.question(topic);
  if (question === undefined) {
    await tell(ear, GONE);
    return undefined;
  }
  const { form } = question;
  try {
    const submitted = await desk.submit(topic, actor, readForm(form, body.view.state.values));
    if (!submitted.ok) return formErrors(form, submitted.faults);
    if (submitted.words !== undefined) await tell(ear, submitted.words);
    return undefined;
  } catch (error) {
    log.warn({ error, approval: topic.approvalId, about: topic.about }, "what a person sent had no effect");
    return formErrors(form, [{ name: form.fields[0]?.name ?? "", message: errorForUser(error) }]);
  }
}

function metadataOf({ ear }: Click, topic: ApprovalTopic): string {
  return writeMetadata({
    topic,
    ...(ear === undefined ? {} : { channel: ear.channel }),
    ...(ear?.thread === undefined ? {} : { thread: ear.thread }),
  });
}

function earOf(
  body: ViewSubmitAction,
  { channel, thread }: { channel?: string | undefined; thread?: string | undefined },
): EphemeralTarget | undefined {
  if (channel === undefined) return undefined;
  const team = teamOfInteraction(body);
  return { team, channel, user: body.user.id, ...(thread === undefined ? {} : { thread }) };
}

const GONE = "This request is not known here any more.";

const TOO_LONG =
  "This call is too long to be shown in one window, so it cannot be allowed for a while. Approve it alone.";

/** What a window with inputs carries with it, in its `private_metadata`. */
interface WindowMetadata {
  topic: ApprovalTopic;
  /** Where the person is told what is not shown to everybody. */
  channel?: string | undefined;
  thread?: string | undefined;
}

const approvalId = z.string();

const schema: z.ZodType<WindowMetadata> = z.object({
  topic: z.discriminatedUnion("about", [
    z.object({ about: z.literal("reason"), approvalId, decision: z.enum(["approve", "deny"]) }),
    z.object({ about: z.literal("grant"), approvalId }),
    z.object({ about: z.literal("edit"), approvalId }),
  ]),
  channel: z.string().optional(),
  thread: z.string().optional(),
});

function writeMetadata(metadata: WindowMetadata): string {
  return JSON.stringify(metadata);
}

/** Rejects what this adapter did not write: Slack gives it back unchanged. */
function readMetadata(text: string): WindowMetadata {
  return schema.parse(JSON.parse(text));
}
