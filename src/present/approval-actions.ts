import type { ActorId } from "#contract/actor.ts";
import type {
  ApprovalActions,
  ApprovalForm,
  ApprovalPress,
  ApprovalTopic,
  FormOutcome,
  PressAnswer,
} from "#contract/approval-actions.ts";
import type { Approval } from "#contract/approval.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { Form, FormFault, FormField, Forms, FormTool, FormValues } from "#contract/form.ts";

import { refusalOf } from "../base/errors.ts";
import { replyToLateClick } from "../ledger/decide.ts";

interface ApprovalActionsDeps {
  core: Pick<Core, "approval" | "decide" | "edit" | "grants" | "lookup" | "revokeGrant" | "settle" | "tools">;
  cards: Pick<Cards, "grantTerms" | "grants">;
  forms: Forms;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const SHOWN: PressAnswer = { kind: "shown" };
const TOOL_GONE = "This tool is not there now, so its request cannot be edited.";

/** See ApprovalDesk. */
export function createApprovalActions({ core, cards, forms, now }: ApprovalActionsDeps): ApprovalActions {
  async function press({ action, approvalId, actor }: ApprovalPress): Promise<PressAnswer> {
    switch (action) {
      case "settle_happened":
      case "settle_did_not":
        await core.settle({
          approvalId,
          actor,
          outcome: action === "settle_happened" ? "happened" : "did_not",
        });
        return SHOWN;
      case "lookup":
        return told((await core.lookup(approvalId, actor)).card);
      case "edit":
        return ask({ about: "edit", approvalId });
      case "grant":
        return ask({ about: "grant", approvalId });
      case "deny":
      case "approve":
      default: {
        const approval = await existing(approvalId);
        const isLate = approval.state !== "pending" || approval.expiresAt <= now();
        // A denial is easier to accept with a reason; a late click gets its answer at once.
        if (!isLate && (action === "deny" || approval.reasonRequired)) {
          return ask({ about: "reason", approvalId, decision: action });
        }
        const reply = await core.decide({ approvalId, actor, decision: action });
        const isShown = reply.outcome === "approved" || reply.outcome === "denied";
        return isShown ? SHOWN : told(reply.message);
      }
    }
  }

  async function ask(topic: ApprovalTopic): Promise<PressAnswer> {
    const approval = await existing(topic.approvalId);
    if (approval.state !== "pending") return told(replyToLateClick(approval).message);
    const asked = questionOf(topic, approval);
    return asked === undefined ? told(goneWords(topic)) : { kind: "asked", question: asked };
  }

  function questionOf(topic: ApprovalTopic, approval: Approval): ApprovalForm | undefined {
    switch (topic.about) {
      case "reason":
        return {
          topic,
          form: reasonForm(approval, topic.decision),
          note: approval.toolId,
          submit: topic.decision === "approve" ? "Approve" : "Deny",
        };
      case "grant": {
        const form = grantForm(approval);
        if (form === undefined) return undefined;
        return { topic, form, card: cards.grantTerms(approval), submit: "Approve and allow" };
      }
      case "edit":
      default: {
        const tool = toolOf(approval);
        if (tool === undefined) return undefined;
        const note = "The edited request needs approval anew.";
        return { topic, form: forms.toForm(tool, approval.args), note, submit: "Save" };
      }
    }
  }

  async function submit(topic: ApprovalTopic, actor: ActorId, values: FormValues): Promise<FormOutcome> {
    const approval = await existing(topic.approvalId);
    if (topic.about === "edit") return edit(approval, actor, values);
    const reason = values.get("reason")?.trim() ?? "";
    if (approval.reasonRequired && reason === "") {
      return fault("reason", "Say why, so that others can follow the decision.");
    }
    const said = reason === "" ? {} : { reason };
    const { id: approvalId } = approval;
    if (topic.about === "grant") {
      const read = readGrantForm(approval, values);
      if (!read.ok) return read;
      const { grant } = read;
      return decided(await core.decide({ approvalId, actor, decision: "approve", grant, ...said }));
    }
    return decided(await core.decide({ approvalId, actor, decision: topic.decision, ...said }));
  }

  async function edit(approval: Approval, actor: ActorId, values: FormValues): Promise<FormOutcome> {
    const tool = toolOf(approval);
    if (tool === undefined) return { ok: true, words: TOOL_GONE };
    const reading = forms.fromForm(tool, approval.args, values);
    if (!reading.ok) return { ok: false, faults: reading.faults };
    await core.edit({ approvalId: approval.id, actor, args: reading.args });
    return { ok: true };
  }

  function toolOf({ toolId }: Approval): FormTool | undefined {
    return core.tools().find(({ tool }) => tool.id === toolId)?.tool;
  }

  async function existing(id: string): Promise<Approval> {
    const approval = await core.approval(id);
    if (approval !== undefined) return approval;
    throw Object.assign(new Error("This request is not known here any more."), { code: "not_found" });
  }

  return {
    async press(pressed) {
      try {
        return await press(pressed);
      } catch (error) {
        return told(refusalOf(error));
      }
    },

    async question(topic) {
      const approval = await core.approval(topic.approvalId);
      return approval === undefined ? undefined : questionOf(topic, approval);
    },

    async submit(topic, actor, values) {
      try {
        return await submit(topic, actor, values);
      } catch (error) {
        const words = refusalOf(error);
        const approval = await core.approval(topic.approvalId);
        const fields = approval === undefined ? [] : (questionOf(topic, approval)?.form.fields ?? []);
        return approval?.state === "pending" && fields.length > 0
          ? { ok: false, faults: toFaults(error, fields) }
          : { ok: true, words };
      }
    },

    async grants(conversationId) {
      const grants = (await core.grants(conversationId)).filter(
        ({ revokedBy, uses, maxUses, expiresAt }) =>
          revokedBy === undefined && uses < maxUses && expiresAt > now(),
      );
      return { grants, card: cards.grants(grants) };
    },

    async revoke(grantId, actor) {
      try {
        const { toolId } = await core.revokeGrant(grantId, actor);
        return `Revoked: ${toolId} asks again.`;
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

function told(words: Extract<PressAnswer, { kind: "told" }>["words"]): PressAnswer {
  return { kind: "told", words };
}

function goneWords({ about }: ApprovalTopic): string {
  return about === "edit" ? TOOL_GONE : "The rule of this request offers no standing approval.";
}

function fault(name: string, message: string): { ok: false; faults: FormFault[] } {
  return { ok: false, faults: [{ name, message }] };
}

function decided({ outcome, message }: Awaited<ReturnType<Core["decide"]>>): FormOutcome {
  return outcome === "approved" || outcome === "denied" ? { ok: true } : { ok: true, words: message };
}

const MINUTE = 60_000;
/** What people choose from, as far as the rule goes. */
const TIMES: readonly number[] = [
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  60 * MINUTE,
  4 * 60 * MINUTE,
  8 * 60 * MINUTE,
  24 * 60 * MINUTE,
];

/** Asks why; a reason may be left out unless the rule wants one. */
function reasonForm(
  { reasonRequired }: Pick<Approval, "reasonRequired">,
  decision: "approve" | "deny",
): Form {
  const title = decision === "approve" ? "Approve" : "Deny";
  return { title, fields: [reasonField(reasonRequired)] };
}

function reasonField(required: boolean): FormField {
  const help = required ? "The rule of this tool wants one." : "Everybody here sees it on the card.";
  return { name: "reason", label: "Reason", kind: "long_text", required, value: "", help };
}

/** For how long and how often, within the rule; undefined where it offers nothing. */
function grantForm({ grants, quorum, reasonRequired }: Approval): Form | undefined {
  if (grants === undefined || quorum > 1) return undefined;
  const { maxTtlMs, maxUses } = grants;
  const times = [...TIMES.filter((ms) => ms < maxTtlMs), maxTtlMs];
  return {
    title: "Allow for a while",
    fields: [
      {
        name: "time",
        label: "For how long",
        kind: "select",
        required: true,
        value: String(maxTtlMs),
        options: times.map((ms) => ({ value: String(ms), label: timeText(ms) })),
      },
      {
        name: "uses",
        label: "How many more times",
        kind: "integer",
        required: true,
        value: String(maxUses),
        help: `From 1 to ${maxUses}. This call itself is not counted.`,
      },
      ...(reasonRequired ? [reasonField(true)] : []),
    ],
  };
}

function readGrantForm(
  approval: Approval,
  values: FormValues,
): { ok: true; grant: { ttlMs: number; uses: number } } | { ok: false; faults: FormFault[] } {
  const { maxTtlMs = 0, maxUses = 0 } = approval.grants ?? {};
  const ttlMs = Number(values.get("time"));
  const uses = Number(values.get("uses")?.trim() || "x");
  const faults: FormFault[] = [];
  if (!isBetween(ttlMs, maxTtlMs)) {
    faults.push({ name: "time", message: `The rule allows at most ${timeText(maxTtlMs)}.` });
  }
  if (!isBetween(uses, maxUses)) {
    faults.push({ name: "uses", message: `Expected a whole number from 1 to ${maxUses}.` });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, grant: { ttlMs, uses } };
}

function isBetween(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** "30 minutes", "1 hour", "90 seconds": in the largest unit that says it exactly. */
function timeText(ms: number): string {
  for (const [size, name] of [
    [24 * 60 * MINUTE, "day"],
    [60 * MINUTE, "hour"],
    [MINUTE, "minute"],
  ] as const) {
    if (ms >= size && ms % size === 0) return amount(ms / size, name);
  }
  return amount(Math.max(1, Math.round(ms / 1000)), "second");
}

function amount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

/** What Core refused at the fields that it names, else at the first one; rethrows what is no refusal. */
function toFaults(error: unknown, fields: Form["fields"]): FormFault[] {
  const message = refusalOf(error);
  const details =
    typeof error === "object" && error !== null && "details" in error ? error.details : undefined;
  const named =
    typeof details === "object" && details !== null && "fields" in details && Array.isArray(details.fields)
      ? details.fields.map(String)
      : [];
  const faults = fields
    .filter(({ name }) => named.some((one) => name === one || name.startsWith(`${one}.`)))
    .map(({ name }) => ({ name, message }));
  return faults.length > 0 ? faults : [{ name: fields[0]?.name ?? "", message }];
}
