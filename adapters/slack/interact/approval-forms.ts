import type { App } from "@slack/bolt";
import type { KnownBlock } from "@slack/types";
import { z } from "zod";

import type { ApprovalForm, ApprovalTopic } from "#contract/approval-actions.ts";
import { en } from "#src/base/words/en.ts";

import { errorForUser } from "../../chat/actions.ts";
import { faultAtFirst } from "../../chat/forms.ts";
import { renderCard } from "../render/card.ts";
import { formErrors, readForm, renderForm } from "../render/form.ts";
import { VIEW_BUDGET } from "../render/limits.ts";
import { type Faults, handleWindow, showWindow, type SlackContext, type Submission } from "./context.ts";
import { type Click, seenApproval } from "./interaction.ts";

type ApprovalFormDeps = Pick<SlackContext, "desk" | "log" | "client" | "sendEphemeral">;

const CALLBACK = "cs:desk";

/** Room for the inputs below a card. */
const INPUTS = 30;

/** Opens a window that asks the person who pressed. */
export async function openApprovalForm(
  click: Click,
  { form, submit, note, card, topic }: ApprovalForm,
  deps: ApprovalFormDeps,
): Promise<void> {
  const above = aboveInputs(card);
  if (above === undefined) return deps.sendEphemeral(click.target, en.recorded.tooLong());
  const { channel, thread } = click.target ?? {};
  const view = renderForm(form, {
    callbackId: CALLBACK,
    metadata: JSON.stringify({ topic, channel, thread } satisfies WindowMetadata),
    submit,
    above,
    ...(note === undefined ? {} : { note }),
  });
  return showWindow(click, view, deps);
}

/** What a person says yes to stands above the inputs as a whole; undefined where there is no room for it. */
function aboveInputs(card: ApprovalForm["card"]): KnownBlock[] | undefined {
  if (card === undefined) return [];
  const budget = { ...VIEW_BUDGET, blocks: VIEW_BUDGET.blocks - INPUTS };
  const { blocks, pages } = renderCard(card, { budget, tables: false, unfold: true });
  return pages === 1 ? blocks : undefined;
}

/** What the window carries with it; Slack gives it back unchanged. */
interface WindowMetadata {
  topic: ApprovalTopic;
  /** Where the person is told what is not shown to everybody. */
  channel?: string | undefined;
  thread?: string | undefined;
}

const approvalId = z.string();
const decision = z.enum(["approve", "deny"]);

const metadataSchema: z.ZodType<WindowMetadata> = z.object({
  topic: z.discriminatedUnion("about", [
    z.object({ about: z.literal("reason"), approvalId, decision }),
    z.object({
      about: z.literal("reason_for_all"),
      turnId: z.string(),
      decision,
      seal: z.string(),
    }),
    z.object({ about: z.literal("rating"), turnId: z.string() }),
    z.object({ about: z.literal("me"), server: z.string(), language: z.string().optional() }),
    z.object({ about: z.literal("alike"), decision, kind: z.string(), place: z.string(), seal: z.string() }),
    z.object({ about: z.literal("grant"), approvalId }),
    z.object({ about: z.literal("edit"), approvalId }),
  ]),
  channel: z.string().optional(),
  thread: z.string().optional(),
});

export function handleApprovalForms(app: App, deps: ApprovalFormDeps): void {
  handleWindow(app, CALLBACK, (sent) => submit(sent, deps));
}

async function submit(sent: Submission, deps: ApprovalFormDeps): Promise<Faults | undefined> {
  const { team, user, actor, metadata, values } = sent;
  const { desk, sendEphemeral, log } = deps;
  const { topic, channel, thread } = metadataSchema.parse(JSON.parse(metadata));
  const target = channel === undefined ? undefined : { team, channel, user, thread };
  const seen = "approvalId" in topic ? seenApproval(sent, topic.approvalId) : undefined;
  const question = await desk.question(topic, actor, seen);
  if (question === undefined) {
    await sendEphemeral(target, en.recorded.requestGone());
    return undefined;
  }
  const { form } = question;
  try {
    const submitted = await desk.submit(topic, actor, readForm(form, values), seen);
    if (!submitted.ok) return formErrors(form, submitted.faults);
    if (submitted.words !== undefined) await sendEphemeral(target, submitted.words);
    return undefined;
  } catch (error) {
    log.warn({ error, ...topic }, "what a person sent had no effect");
    return formErrors(form, [faultAtFirst(form, errorForUser(error))]);
  }
}
