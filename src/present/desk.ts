import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Cards, Core } from "#contract/core.ts";
import type {
  ApprovalDesk,
  DeskAnswer,
  DeskPress,
  DeskQuestion,
  DeskSubmission,
  DeskTopic,
} from "#contract/desk.ts";
import type { FormFault, Forms, FormTool, FormValues } from "#contract/form.ts";

import { refusalOf } from "../base/errors.ts";
import { replyToLateClick } from "../ledger/replies.ts";
import { grantForm, readGrantForm, reasonForm } from "./desk-forms.ts";
import { toFaults } from "./desk-words.ts";

interface DeskDeps {
  core: Pick<Core, "approval" | "decide" | "edit" | "grants" | "lookup" | "revokeGrant" | "settle" | "tools">;
  cards: Pick<Cards, "grantTerms" | "grants">;
  forms: Forms;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const SHOWN: DeskAnswer = { kind: "shown" };
const TOOL_GONE = "This tool is not there now, so its request cannot be edited.";

/** See ApprovalDesk. */
export function createDesk({ core, cards, forms, now }: DeskDeps): ApprovalDesk {
  async function press({ action, approvalId, actor }: DeskPress): Promise<DeskAnswer> {
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

  async function ask(topic: DeskTopic): Promise<DeskAnswer> {
    const approval = await existing(topic.approvalId);
    if (approval.state !== "pending") return told(replyToLateClick(approval).message);
    const asked = questionOf(topic, approval);
    return asked === undefined ? told(goneWords(topic)) : { kind: "asked", question: asked };
  }

  function questionOf(topic: DeskTopic, approval: Approval): DeskQuestion | undefined {
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

  async function submit(topic: DeskTopic, actor: ActorId, values: FormValues): Promise<DeskSubmission> {
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

  async function edit(approval: Approval, actor: ActorId, values: FormValues): Promise<DeskSubmission> {
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

function told(words: Extract<DeskAnswer, { kind: "told" }>["words"]): DeskAnswer {
  return { kind: "told", words };
}

function goneWords({ about }: DeskTopic): string {
  return about === "edit" ? TOOL_GONE : "The rule of this request offers no standing approval.";
}

function fault(name: string, message: string): { ok: false; faults: FormFault[] } {
  return { ok: false, faults: [{ name, message }] };
}

function decided({ outcome, message }: Awaited<ReturnType<Core["decide"]>>): DeskSubmission {
  return outcome === "approved" || outcome === "denied" ? { ok: true } : { ok: true, words: message };
}
