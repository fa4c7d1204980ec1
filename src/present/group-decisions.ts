import type { ActorId } from "#contract/actor.ts";
import type {
  AlikePress,
  ApprovalForm,
  ApprovalTopic,
  FormOutcome,
  GroupPress,
  PressAnswer,
} from "#contract/approval-actions.ts";
import type { Approval, DecideRequest } from "#contract/approval.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { FormField, FormValues } from "#contract/form.ts";

import { alikeApprovals, MOST_TOGETHER, readGroupValue, sealOf } from "../base/alike.ts";
import { askText, groupText, wordsFor } from "../base/statement.ts";
import { en } from "../base/words/en.ts";
import { recordedText } from "../base/words/recorded.ts";
import { wordsOf } from "../base/words/words.ts";
import { reasonFault, reasonField } from "./reason.ts";

/** What is asked about several requests. */
export type GroupTopic = Extract<ApprovalTopic, { about: "reason_for_all" | "alike" }>;

/** Decides several requests at once, each by itself and as it was shown. */
export interface GroupDecisions {
  pressAll(press: GroupPress): Promise<PressAnswer>;
  pressAlike(press: AlikePress): Promise<PressAnswer>;
  /** Undefined where nothing of it waits for the person any more. */
  question(topic: GroupTopic, actor: ActorId): Promise<ApprovalForm | undefined>;
  submit(topic: GroupTopic, actor: ActorId, values: FormValues): Promise<FormOutcome>;
}

const NOTHING_LEFT = en.recorded.nothingLeft();
const OTHERS_NOW = en.recorded.othersNow();

export function createGroupDecisions({
  core,
  cards,
}: {
  core: Pick<Core, "approvals" | "approvalsFor" | "decide">;
  cards: Pick<Cards, "pending">;
}): GroupDecisions {
  /** What waits and this person has not decided; and whether that is what they were shown. */
  async function waitingFor(
    topic: GroupTopic,
    actor: ActorId,
  ): Promise<{ waiting: Approval[]; isShown: boolean }> {
    if (topic.about === "alike") {
      const waiting = await alikeTo(topic, actor);
      return { waiting, isShown: sealOf(waiting) === topic.seal };
    }
    const all = await core.approvals({ turnId: topic.turnId, state: "pending" });
    const waiting = all.filter(({ votes }) => !votes.some((vote) => vote.actor === actor)).toReversed();
    return { waiting, isShown: sealOf(all) === topic.seal };
  }

  async function alikeTo(
    { kind, place }: Pick<AlikePress, "kind" | "place">,
    actor: ActorId,
  ): Promise<Approval[]> {
    const waiting = (await core.approvalsFor(actor)).filter(({ channel }) => channel.startsWith(place));
    return (
      alikeApprovals(waiting)
        .find((one) => one.kind === kind)
        ?.approvals.slice(0, MOST_TOGETHER) ?? []
    );
  }

  function questionOf(topic: GroupTopic, waiting: readonly Approval[]): ApprovalForm {
    const isRequired = waiting.some(({ reasonRequired }) => reasonRequired);
    const { language } = waiting[0]?.statement ?? {};
    const say = wordsOf(language);
    const fields: FormField[] = [reasonField(isRequired, say)];
    const spoken = language === undefined ? {} : { language };
    if (topic.about === "alike") {
      const { approveSome, denySome } = say.buttons;
      const title = (topic.decision === "deny" ? denySome : approveSome)(waiting.length);
      const card = cards.pending(
        waiting.map((approval) => ({ approval })),
        language,
      );
      return { topic, form: { title, fields, ...spoken }, card, submit: title };
    }
    const title = topic.decision === "approve" ? say.buttons.approveAll : say.buttons.denyAll;
    const note = groupText(waiting.map(({ statement }) => statement));
    return { topic, form: { title, fields, ...spoken }, note, submit: title };
  }

  /** Each by itself, whatever becomes of the others; what people have to hear of it, if anything. */
  async function decideAll(
    waiting: readonly Approval[],
    decision: Pick<DecideRequest, "actor" | "decision" | "reason">,
  ): Promise<string | undefined> {
    const words = new Set<string>();
    for (const seen of waiting) {
      const { outcome, message } = await core.decide({ ...decision, approvalId: seen.id, seen });
      if (outcome !== "approved" && outcome !== "denied")
        words.add(`${askText(seen.statement)}: ${recordedText(message, wordsFor(seen.statement))}`);
    }
    return words.size === 0 ? undefined : [...words].join("\n");
  }

  return {
    async pressAll({ action, value, actor }) {
      const decision = action === "approve_all" ? "approve" : "deny";
      const topic: GroupTopic = { about: "reason_for_all", ...readGroupValue(value), decision };
      const { waiting, isShown } = await waitingFor(topic, actor);
      if (waiting.length === 0) return { kind: "told", words: NOTHING_LEFT };
      // One that was edited or asked for anew since stands in the place of one that was shown.
      if (!isShown) return { kind: "told", words: OTHERS_NOW };
      if (decision === "deny" || waiting.some(({ reasonRequired }) => reasonRequired))
        return { kind: "asked", question: questionOf(topic, waiting) };
      const words = await decideAll(waiting, { actor, decision });
      return words === undefined ? { kind: "shown" } : { kind: "told", words };
    },

    async pressAlike({ decision, kind, place, actor }) {
      const waiting = await alikeTo({ kind, place }, actor);
      if (waiting.length === 0) return { kind: "told", words: NOTHING_LEFT };
      const topic: GroupTopic = { about: "alike", decision, kind, place, seal: sealOf(waiting) };
      return { kind: "asked", question: questionOf(topic, waiting) };
    },

    async question(topic, actor) {
      const { waiting } = await waitingFor(topic, actor);
      return waiting.length === 0 ? undefined : questionOf(topic, waiting);
    },

    async submit(topic, actor, values) {
      const { waiting, isShown } = await waitingFor(topic, actor);
      if (waiting.length === 0) return { ok: true, words: NOTHING_LEFT };
      if (!isShown) return reasonFault(OTHERS_NOW);
      const reason = values.get("reason")?.trim() ?? "";
      if (reason === "" && waiting.some(({ reasonRequired }) => reasonRequired)) return reasonFault();
      const { decision } = topic;
      const words = await decideAll(waiting, { actor, decision, ...(reason === "" ? {} : { reason }) });
      return words === undefined ? { ok: true } : { ok: true, words };
    },
  };
}
