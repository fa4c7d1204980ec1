import type { FormFault, FormValues } from "#contract/form.ts";

import { say } from "../chat/say.ts";
import type { Answer } from "./answer.ts";
import type { FormPurpose, FormSession, TurnStart } from "./form-sessions.ts";
import { type Asked, faultAtFirst, toolOfQuestion } from "./asked.ts";
import type { Deed } from "./interaction.ts";
import type { DiscordDesk } from "./options.ts";
import type { StartTurn } from "./start-turn.ts";

export interface SendParts extends Pick<DiscordDesk, "core" | "forms" | "desk" | "log"> {
  startTurn: StartTurn;
}

/** Does what the form was filled in for; resolves to what is wrong with it, and then nothing was done. */
export async function sendForm(
  id: string,
  { purpose, values: given, actor }: FormSession,
  asked: Asked,
  deed: Deed,
  answer: Answer,
  parts: SendParts,
): Promise<FormFault[] | undefined> {
  const values: FormValues = new Map(Object.entries(given));
  try {
    switch (purpose.kind) {
      case "desk": {
        const sent = await parts.desk.submit(purpose.topic, actor, values);
        if (!sent.ok) return sent.faults;
        await end(sent.words, deed, answer);
        return undefined;
      }
      case "question":
        return await answerServer(purpose, asked, deed, values, answer, parts);
      case "call": {
        const call = fill(purpose, asked, values, parts);
        if ("faults" in call) return call.faults;
        await begin(id, purpose.start, { call: call.call }, deed, answer, parts);
        return undefined;
      }
      default: {
        const message = values.get("question")?.trim() ?? "";
        if (message === "") return [{ name: "question", message: "Say what you want to know." }];
        await begin(id, { ...purpose.start, message }, { quote: purpose.quote }, deed, answer, parts);
        return undefined;
      }
    }
  } catch (error) {
    parts.log.warn({ error, about: purpose.kind }, "what a person sent had no effect");
    return [faultAtFirst(asked.form, say(error))];
  }
}

/** The message of the turn shows what came of it, unless there is something to say. */
async function end(words: string | undefined, { message }: Deed, answer: Answer): Promise<void> {
  if (words !== undefined) return answer.update(words);
  return message?.isForOne === true ? answer.update("Sent.") : answer.done();
}

async function begin(
  id: string,
  start: TurnStart,
  about: Parameters<StartTurn>[1],
  deed: Deed,
  answer: Answer,
  { startTurn }: SendParts,
): Promise<void> {
  await startTurn({ ...start, actor: deed.actor, eventId: `form:${id}` }, about, deed, answer);
}

function fill(
  { call }: Extract<FormPurpose, { kind: "call" }>,
  { tool, form }: Asked,
  values: FormValues,
  { core, forms }: SendParts,
): { call: typeof call } | { faults: FormFault[] } {
  if (tool === undefined) return { faults: [] };
  const reading = forms.fromForm(tool, call.args, values);
  if (!reading.ok) return { faults: reading.faults };
  const filled = { tool: call.tool, args: reading.args };
  const checked = core.checkCall(filled);
  if (checked.ok) return { call: filled };
  return { faults: checked.faults.length > 0 ? checked.faults : [faultAtFirst(form, checked.message)] };
}

async function answerServer(
  { questionId }: Extract<FormPurpose, { kind: "question" }>,
  { tool }: Asked,
  deed: Deed,
  values: FormValues,
  answer: Answer,
  { core, forms }: SendParts,
): Promise<FormFault[] | undefined> {
  const question = await core.question(questionId);
  if (tool === undefined || question?.kind !== "form") return [];
  const reading = forms.fromForm(toolOfQuestion(question), {}, values);
  if (!reading.ok) return reading.faults;
  await core.answer({ questionId, actor: deed.actor, action: "accept", content: reading.args });
  await end(undefined, deed, answer);
  return undefined;
}
