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
import type { MeActions } from "#contract/people.ts";
import type { Form, FormFault, FormField, Forms, FormTool, FormValues } from "#contract/form.ts";

import { faultyFields, refusalOf } from "../base/errors.ts";
import { allowedText } from "../base/plain-statement.ts";
import { languageOf, questionText, wordsFor } from "../base/statement.ts";
import { en } from "../base/words/en.ts";
import { wordsOf } from "../base/words/words.ts";
import { DAY_MS, exactDuration, HOUR_MS, MINUTE_MS } from "../base/time.ts";
import { replyToLateClick } from "../ledger/decide.ts";
import { createGroupDecisions, type GroupTopic } from "./group-decisions.ts";
import { reasonFault, reasonField } from "./reason.ts";

interface ApprovalActionsDeps {
  core: Pick<
    Core,
    | "approval"
    | "approvals"
    | "approvalsFor"
    | "decide"
    | "edit"
    | "grants"
    | "lookup"
    | "rate"
    | "revokeGrant"
    | "settle"
    | "tools"
    | "turn"
  >;
  cards: Pick<Cards, "grantTerms" | "grants" | "pending">;
  forms: Forms;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** What is written in a channel, as its setting names it; undefined: English. */
  language?: (channel: string) => string | undefined;
  /** Without it nobody is asked who they are. */
  who?: Pick<MeActions, "me">;
}

const SHOWN: PressAnswer = { kind: "shown" };
const TOOL_GONE = en.recorded.toolGone();

type RatingTopic = Extract<ApprovalTopic, { about: "rating" }>;
type MeTopic = Extract<ApprovalTopic, { about: "me" }>;
type RequestTopic = Exclude<ApprovalTopic, GroupTopic | RatingTopic | MeTopic>;

/** See ApprovalActions. */
export function createApprovalActions({
  core,
  cards,
  forms,
  now,
  language,
  who,
}: ApprovalActionsDeps): ApprovalActions {
  const groups = createGroupDecisions({ core, cards });

  async function press({ action, approvalId, actor, seen }: ApprovalPress): Promise<PressAnswer> {
    switch (action) {
      case "settle_happened":
      case "settle_did_not": {
        const outcome = action === "settle_happened" ? "happened" : "did_not";
        await core.settle({ approvalId, actor, outcome });
        return SHOWN;
      }
      case "lookup":
        return told((await core.lookup(approvalId, actor)).card);
      case "edit":
      case "grant":
        return ask({ about: action, approvalId }, await existing(approvalId, seen));
      case "deny":
      case "approve":
      default: {
        const approval = await existing(approvalId, seen);
        const isLate = approval.state !== "pending" || approval.expiresAt <= now();
        // A denial is easier to accept with a reason; a late click gets its answer at once.
        if (!isLate && (action === "deny" || approval.reasonRequired)) {
          return ask({ about: "reason", approvalId, decision: action }, approval);
        }
        const reply = await core.decide({ approvalId, actor, decision: action, seen: approval });
        const isShown = reply.outcome === "approved" || reply.outcome === "denied";
        return isShown ? SHOWN : told(reply.message);
      }
    }
  }

  function ask(topic: RequestTopic, approval: Approval): PressAnswer {
    if (approval.state !== "pending") return told(replyToLateClick(approval).message);
    const asked = questionOf(topic, approval);
    return asked === undefined ? told(goneWords(topic)) : { kind: "asked", question: asked };
  }

  function questionOf(topic: RequestTopic, approval: Approval): ApprovalForm | undefined {
    const { language } = approval.statement;
    const say = wordsOf(language);
    const asked = questionText(approval.statement);
    const spoken = language === undefined ? {} : { language };
    switch (topic.about) {
      case "reason": {
        const title = topic.decision === "approve" ? say.buttons.approve : say.buttons.deny;
        const form = { title, fields: [reasonField(approval.reasonRequired, say)], ...spoken };
        return { topic, form, note: asked, submit: title };
      }
      case "grant": {
        const form = grantForm(approval);
        if (form === undefined) return undefined;
        return { topic, form, card: cards.grantTerms(approval), submit: say.buttons.approveAndAllow };
      }
      case "edit":
      default: {
        const tool = toolOf(approval);
        if (tool === undefined) return undefined;
        const note = say.presses.editNote(asked);
        return { topic, form: forms.toForm(tool, approval.args, language), note, submit: say.buttons.save };
      }
    }
  }

  async function submit(
    topic: RequestTopic,
    actor: ActorId,
    values: FormValues,
    given?: Approval,
  ): Promise<FormOutcome> {
    const seen = await existing(topic.approvalId, given);
    if (topic.about === "edit") return edit(seen, actor, values);
    const reason = values.get("reason")?.trim() ?? "";
    if (seen.reasonRequired && reason === "") return reasonFault();
    const said = reason === "" ? {} : { reason };
    const about = { approvalId: seen.id, actor, seen, ...said };
    if (topic.about === "reason") return decided(await core.decide({ ...about, decision: topic.decision }));
    const read = readGrantForm(seen, values);
    if (!read.ok) return read;
    return decided(await core.decide({ ...about, decision: "approve", grant: read.grant }));
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

  async function existing(id: string, seen: Approval | undefined): Promise<Approval> {
    const approval = seen?.id === id ? seen : await core.approval(id);
    if (approval !== undefined) return approval;
    throw Object.assign(new Error(en.recorded.requestGone()), { code: "not_found" });
  }

  async function ratingForm(topic: RatingTopic): Promise<ApprovalForm> {
    const turn = await core.turn(topic.turnId);
    const spoken = turn && language?.(turn.channel);
    const { presses: say, buttons } = wordsOf(spoken);
    const field: FormField = {
      name: "words",
      label: say.whatInstead,
      kind: "long_text",
      required: false,
      value: "",
      help: say.ratingHelp,
    };
    const form = { title: say.whatWasWrong, fields: [field] };
    return {
      topic,
      form: spoken === undefined ? form : { ...form, language: spoken },
      submit: buttons.send,
    };
  }

  async function meForm(topic: MeTopic, actor: ActorId): Promise<ApprovalForm | undefined> {
    const { server, language: spoken } = topic;
    const reply = await who?.me("", { actor, command: "", language: spoken });
    const known = reply?.view.servers.find((one) => one.server === server);
    if (known === undefined) return undefined;
    const { about, buttons, recorded } = wordsOf(spoken);
    const field: FormField = {
      name: "account",
      label: about.accountThere,
      kind: "text",
      required: true,
      value: known.account?.name ?? "",
      help: about.accountHelp,
    };
    const form = { title: about.whoYouAre, fields: [field], ...languageOf({ language: spoken }) };
    return { topic, form, note: recorded.whoAreYou(known.title), submit: buttons.save };
  }

  return {
    press: (pressed) => answered(press(pressed)),
    pressAll: (pressed) => answered(groups.pressAll(pressed)),
    pressAlike: (pressed) => answered(groups.pressAlike(pressed)),

    async rate(rating) {
      try {
        await core.rate(rating);
        if (rating.verdict === "good") return told(THANKS);
        const topic = { about: "rating", turnId: rating.turnId } as const;
        return { kind: "asked", question: await ratingForm(topic) };
      } catch (error) {
        return told(refusalOf(error));
      }
    },

    async question(topic, actor, seen) {
      if (topic.about === "rating") return ratingForm(topic);
      if (topic.about === "me") return meForm(topic, actor);
      if (isOfGroup(topic)) return groups.question(topic, actor);
      const approval = seen ?? (await core.approval(topic.approvalId));
      return approval === undefined ? undefined : questionOf(topic, approval);
    },

    async submit(topic, actor, values, seen) {
      try {
        if (isOfGroup(topic)) return await groups.submit(topic, actor, values);
        if (topic.about === "rating") {
          const words = values.get("words") ?? "";
          await core.rate({ turnId: topic.turnId, actor, verdict: "bad", words });
          return { ok: true, words: THANKS };
        }
        if (topic.about === "me") {
          const words = `${topic.server} ${values.get("account")?.trim() ?? ""}`;
          const { said = "" } =
            (await who?.me(words, { actor, command: "", language: topic.language })) ?? {};
          return { ok: true, words: said };
        }
        return await submit(topic, actor, values, seen);
      } catch (error) {
        const words = refusalOf(error);
        if (isOfGroup(topic) || topic.about === "rating" || topic.about === "me") return { ok: true, words };
        const approval = await core.approval(topic.approvalId);
        const fields = approval === undefined ? [] : (questionOf(topic, approval)?.form.fields ?? []);
        return approval?.state === "pending" && fields.length > 0
          ? { ok: false, faults: toFaults(error, fields) }
          : { ok: true, words };
      }
    },

    async grants(conversationId, language) {
      const grants = (await core.grants(conversationId)).filter(
        ({ revokedBy, uses, maxUses, expiresAt }) =>
          revokedBy === undefined && uses < maxUses && expiresAt > now(),
      );
      return { grants, card: cards.grants(grants, language) };
    },

    async revoke(grantId, actor, language) {
      try {
        const revoked = await core.revokeGrant(grantId, actor);
        return en.recorded.revoked(allowedText(revoked, language));
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

function isOfGroup(topic: ApprovalTopic): topic is GroupTopic {
  return topic.about === "reason_for_all" || topic.about === "alike";
}

/** What the core refuses is told; what is broken is not for people. */
async function answered(answer: Promise<PressAnswer>): Promise<PressAnswer> {
  try {
    return await answer;
  } catch (error) {
    return told(refusalOf(error));
  }
}

function told(words: Extract<PressAnswer, { kind: "told" }>["words"]): PressAnswer {
  return { kind: "told", words };
}

const THANKS = en.recorded.thanks();

function goneWords({ about }: RequestTopic): string {
  return about === "edit" ? TOOL_GONE : en.recorded.noStanding();
}

function decided({ outcome, message }: Awaited<ReturnType<Core["decide"]>>): FormOutcome {
  return outcome === "approved" || outcome === "denied" ? { ok: true } : { ok: true, words: message };
}

/** What people choose from, as far as the rule goes. */
const TIMES: readonly number[] = [
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  DAY_MS,
];

/** For how long and how often, within the rule; undefined where it offers nothing. */
function grantForm({ grants, quorum, reasonRequired, statement }: Approval): Form | undefined {
  if (grants === undefined || quorum > 1) return undefined;
  const { maxTtlMs, maxUses } = grants;
  const say = wordsFor(statement);
  const times = [...TIMES.filter((ms) => ms < maxTtlMs), maxTtlMs];
  return {
    title: say.grants.formTitle,
    ...languageOf(statement),
    fields: [
      {
        name: "time",
        label: say.grants.howLong,
        kind: "select",
        required: true,
        value: String(maxTtlMs),
        options: times.map((ms) => ({ value: String(ms), label: exactDuration(ms, say) })),
      },
      {
        name: "uses",
        label: say.grants.howOften,
        kind: "integer",
        required: true,
        value: String(maxUses),
        help: say.grants.usesHelp(maxUses),
      },
      ...(reasonRequired ? [reasonField(true, say)] : []),
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
    faults.push({ name: "time", message: en.recorded.atMost(exactDuration(maxTtlMs)) });
  }
  if (!isBetween(uses, maxUses)) {
    faults.push({ name: "uses", message: en.recorded.usesFault(String(maxUses)) });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, grant: { ttlMs, uses } };
}

function isBetween(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}

/** What Core refused at the fields that it names, else at the first one; rethrows what is no refusal. */
function toFaults(error: unknown, fields: Form["fields"]): FormFault[] {
  const message = refusalOf(error);
  const names = faultyFields(
    error,
    fields.map(({ name }) => name),
  );
  const faults = names.map((name) => ({ name, message }));
  return faults.length > 0 ? faults : [{ name: fields[0]?.name ?? "", message }];
}
