import type { Approval } from "#contract/approval.ts";
import type { Form, FormFault, FormReading } from "#contract/form.ts";

import type { App, ViewSubmitAction } from "@slack/bolt";
import type { WebClient } from "@slack/web-api";

import type { Click } from "./click.ts";
import { actorOf } from "./ids.ts";
import { readMetadata, type WindowMetadata, writeMetadata } from "./metadata.ts";
import type { SlackDesk } from "./options.ts";
import { formErrors, readForm, renderForm, type StateValues } from "./render/form.ts";
import { say } from "./say.ts";
import type { Ear, Tell } from "./tell.ts";

export interface AskingParts extends Pick<SlackDesk, "core" | "forms" | "log"> {
  client: WebClient;
  tell: Tell;
}

const REASON = "cs:reason";
const EDIT = "cs:edit";

/** What a window is answered with: closed, or its faults. */
type Faults = Record<string, string> | undefined;

/** Opens a window for the reason of a decision. */
export async function askForReason(
  click: Click,
  approval: Approval,
  decision: "approve" | "deny",
  { client }: AskingParts,
): Promise<void> {
  const view = renderForm(REASON_FORM, {
    callbackId: REASON,
    metadata: metadataOf(click, { approvalId: approval.id, decision }),
    submit: decision === "approve" ? "Approve" : "Deny",
    note: approval.toolId,
  });
  await client.views.open({ trigger_id: click.triggerId, view });
}

/** Opens a window with the arguments of a request. */
export async function askForEdit(click: Click, approval: Approval, parts: AskingParts): Promise<void> {
  const form = formOf(approval, parts);
  if (form === undefined) return parts.tell(click.ear, TOOL_GONE);
  const view = renderForm(form, {
    callbackId: EDIT,
    metadata: metadataOf(click, { approvalId: approval.id }),
    submit: "Save",
    note: "The edited request needs approval anew.",
  });
  await parts.client.views.open({ trigger_id: click.triggerId, view });
  return undefined;
}

/** Handles what people send with these windows. */
export function handleWindows(app: App, parts: AskingParts): void {
  for (const [callbackId, submit] of [
    [REASON, onReason],
    [EDIT, onEdit],
  ] as const) {
    app.view(callbackId, async ({ body, ack }) => {
      if (body.type !== "view_submission") return ack();
      const faults = await submit(body, parts);
      return faults === undefined ? ack() : ack({ response_action: "errors", errors: faults });
    });
  }
}

async function onReason(body: ViewSubmitAction, { core, tell, log }: AskingParts): Promise<Faults> {
  const metadata = readMetadata(body.view.private_metadata);
  const { approvalId, decision = "deny" } = metadata;
  const reason = readForm(REASON_FORM, stateOf(body)).get("reason")?.trim() ?? "";
  const fault = (message: string): Faults => formErrors(REASON_FORM, [{ name: "reason", message }]);
  if (reason === "") return fault("Say why, so that others can follow the decision.");
  try {
    const reply = await core.decide({ approvalId, actor: actorIn(body), decision, reason });
    if (reply.outcome === "approved" || reply.outcome === "denied") return undefined;
    await tell(earOf(body, metadata), reply.message);
    return undefined;
  } catch (error) {
    log.warn({ error, approval: approvalId }, "a decision was not taken");
    return fault(say(error));
  }
}

async function onEdit(body: ViewSubmitAction, parts: AskingParts): Promise<Faults> {
  const { core, forms, tell, log } = parts;
  const metadata = readMetadata(body.view.private_metadata);
  const approval = await core.approval(metadata.approvalId);
  const tool = approval === undefined ? undefined : toolOf(approval, parts);
  if (approval === undefined || tool === undefined) {
    await tell(earOf(body, metadata), TOOL_GONE);
    return undefined;
  }
  const form = forms.toForm(tool, approval.args);
  const reading: FormReading = forms.fromForm(tool, approval.args, readForm(form, stateOf(body)));
  if (!reading.ok) return formErrors(form, reading.faults);
  try {
    await core.edit({ approvalId: approval.id, actor: actorIn(body), args: reading.args });
    return undefined;
  } catch (error) {
    log.warn({ error, approval: approval.id }, "a request was not edited");
    return formErrors(form, faultsOf(error, form));
  }
}

function formOf(approval: Approval, parts: AskingParts): Form | undefined {
  const tool = toolOf(approval, parts);
  return tool === undefined ? undefined : parts.forms.toForm(tool, approval.args);
}

function toolOf(
  approval: Approval,
  { core }: AskingParts,
): Parameters<AskingParts["forms"]["toForm"]>[0] | undefined {
  return core.tools().find(({ tool }) => tool.id === approval.toolId)?.tool;
}

/** At the fields that the core names, else at the first one. */
function faultsOf(error: unknown, { fields }: Form): FormFault[] {
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  const named =
    typeof details === "object" && details !== null && "fields" in details && Array.isArray(details.fields)
      ? details.fields.map(String)
      : [];
  const message = say(error);
  const faults = fields
    .filter(({ name }) => named.some((one) => name === one || name.startsWith(`${one}.`)))
    .map(({ name }) => ({ name, message }));
  return faults.length > 0 ? faults : [{ name: fields[0]?.name ?? "", message }];
}

function metadataOf({ ear }: Click, metadata: WindowMetadata): string {
  return writeMetadata({
    ...metadata,
    ...(ear === undefined ? {} : { channel: ear.channel }),
    ...(ear?.thread === undefined ? {} : { thread: ear.thread }),
  });
}

function earOf(body: ViewSubmitAction, { channel, thread }: WindowMetadata): Ear | undefined {
  if (channel === undefined) return undefined;
  return { channel, user: body.user.id, ...(thread === undefined ? {} : { thread }) };
}

function actorIn({ user, team }: ViewSubmitAction): ReturnType<typeof actorOf> {
  return actorOf(user.team_id ?? team?.id ?? "", user.id);
}

function stateOf({ view }: ViewSubmitAction): StateValues {
  return view.state.values;
}

const REASON_FORM: Form = {
  title: "Reason",
  fields: [{ name: "reason", label: "Reason", kind: "long_text", required: true, value: "" }],
};

const TOOL_GONE = "This tool is not there now, so its request cannot be edited.";
