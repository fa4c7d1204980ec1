import type { ModelPort, ModelText } from "#contract/model.ts";
import type { Answer, ModelAttempt, PlanInput, RespondInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { askModel, isModelFailure } from "./ask-model.ts";
import { toSingleLine } from "./fence.ts";
import { joinText, text } from "./model-text.ts";
import { buildStagePrompt, ECHOES, isEcho, type StageOptions } from "./planner-prompt.ts";

const REPLY_LIMIT = 8_000;

/** The word by which a model says that the results at hand do not answer yet. */
const MORE = /^\W*MORE\W*$/i;

/** The answer in the model's words; the local reply when it has none in time that people can read. */
export async function respondWithModel(
  model: ModelPort,
  input: RespondInput,
  tools: Tool[],
  options: StageOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const attempts: ModelAttempt[] = [];
  const prompt = responsePrompt(input, tools, options, text`Write the answer.`);
  const said = await ask(model, prompt, options, attempts, signal);
  const reply = said.kind === "words" ? polish(said.words, input) : input.localReply;
  return { reply, prompt, attempts };
}

/**
 * Answers and decides in one call: the answer, `more` where the model says that another step is needed
 * first, or `none` where it has no words in time that people can read. For a turn with one small result
 * this saves the call that would only say so.
 */
export async function answerDirectly(
  model: ModelPort,
  input: PlanInput,
  tools: Tool[],
  options: StageOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<{ reply: string } | "more" | "none"> {
  const order = text`Write the answer. If the request cannot be answered from the results and another tool has to be called first, write the single word MORE instead.`;
  const prompt = responsePrompt(input, tools, options, order);
  const said = await ask(model, prompt, options, attempts, signal);
  return said.kind === "words" ? { reply: polish(said.words, input) } : said.kind;
}

function responsePrompt(input: PlanInput, tools: Tool[], options: StageOptions, order: ModelText): ModelText {
  const { language } = input;
  const spoken = language === undefined ? [] : [text`Answer in ${toSingleLine(language, 40)}.`];
  return buildStagePrompt(input, tools, options, joinText([options.prompts.response, ...spoken, order]));
}

type Said = { kind: "words"; words: string } | { kind: "more" } | { kind: "none" };

/** People see the result already: they do not wait for words longer than the budget says. */
async function ask(
  model: ModelPort,
  prompt: ModelText,
  { prompts: { system }, budget }: StageOptions,
  attempts: ModelAttempt[],
  signal: AbortSignal,
): Promise<Said> {
  const limit = AbortSignal.timeout(budget.responseMs);
  const request = {
    stage: "response",
    system,
    prompt,
    maxTokens: budget.responseTokens,
    stop: ECHOES,
    signal: AbortSignal.any([signal, limit]),
  } as const;
  try {
    const attempt = await askModel(model, request, attempts);
    const said = toSaid(attempt.raw.trim().slice(0, REPLY_LIMIT), attempt.isCut === true);
    if (said.kind === "none")
      attempt.fault = "expected an answer in words that ends by itself, got none that people can read";
    return said;
  } catch (error) {
    if (signal.aborted || !isModelFailure(error) || !limit.aborted) throw error;
    const attempt = attempts.at(-1);
    if (attempt !== undefined) {
      attempt.fault = `expected an answer within ${budget.responseMs / 1000} s, got none`;
      delete attempt.code;
    }
    return { kind: "none" };
  }
}

/** Small models sometimes plan again instead of answering, repeat what they read or never end; people never see that. */
function toSaid(raw: string, isCut: boolean): Said {
  const isProtocol =
    /^[^\S\n\r\u2028\u2029]*(BEGIN|END|(QUERY|TASK|ERROR)\s*\(.*)\s*$/m.test(raw) ||
    /^\s*\{\s*"commands"/.test(raw);
  if (MORE.test(raw) || isProtocol) return { kind: "more" };
  // Where a repetition of the prompt was stopped, what led up to it is left.
  const isBroken = isCut || raw === "" || raw.endsWith(":") || isEcho(raw);
  return isBroken ? { kind: "none" } : { kind: "words", words: raw };
}

const MAX_SOURCES = 2;
const MAX_WORDS = 150;
const CLOSING = "Happy to help with anything else!";

/**
 * Holds a model's answer to what the prompt asks of it: at most two sources, and only such as there
 * are; under 150 words unless the request asks for detail; a friendly closing.
 */
export function polish(
  raw: string,
  input: Pick<RespondInput, "message" | "observations" | "recalled" | "language">,
): string {
  const sources = input.observations.length + (input.recalled ?? []).length;
  const cited = citeAtMostTwo(raw, sources);
  const short = wantsDetail(input.message) ? cited : shorten(cited);
  return hasClosing(short) || !isEnglish(short, input.language) ? short : `${short}\n\n${CLOSING}`;
}

function citeAtMostTwo(answer: string, sources: number): string {
  const kept = new Set<number>();
  const cited = answer.replaceAll(
    /(?<![ \t])(?<space>[ \t]*)[[(](?:source|sources)s?[ \t]*#?(?<list>\d+(?:[ \t]*(?:,|and|&)[ \t]*(?:source[ \t]*)?#?\d+)*)[\])]/gi,
    (_whole, space: string, list: string) => {
      const named = [...list.matchAll(/\d+/g)].map(([digits]) => Number(digits));
      const shown = named.filter((source) => {
        if (source < 1 || source > sources) return false;
        if (!kept.has(source) && kept.size >= MAX_SOURCES) return false;
        kept.add(source);
        return true;
      });
      return shown.map((source) => `${space}[source ${source}]`).join("");
    },
  );
  return cited.trim();
}

/** Whether the request asks for more than a short answer. */
function wantsDetail(message: string): boolean {
  return /\b(details?|detailed|in[- ]depth|elaborate|thorough(?:ly)?|comprehensive|step[- ]by[- ]step|at length|explain everything|full (?:report|text|summary|story)|long (?:answer|version)|ausführlich|détaillée?|detallad[oa])\b/i.test(
    message,
  );
}

/** Cut at the end of a sentence where one is near, and marked. */
function shorten(answer: string): string {
  const room = MAX_WORDS - CLOSING.split(" ").length - 1;
  const words = [...answer.matchAll(/\S+/g)];
  if (words.length < MAX_WORDS) return answer;
  const closing = closingOf(answer);
  const last = words[room - (closing === undefined ? 0 : closing.split(/\s+/).length) - 1];
  const head = answer.slice(0, last === undefined ? 0 : last.index + last[0].length);
  const ends = [...head.matchAll(/[.!?](?=\s|$)|\n(?=\n)/g)].map((end) => end.index + 1);
  const end = ends.findLast((at) => at > head.length / 2) ?? head.length;
  const cut = `${head.slice(0, end).trimEnd()} …`;
  return closing === undefined ? cut : `${cut}\n\n${closing}`;
}

/** The last sentence of an answer that is one kind phrase. */
function closingOf(answer: string): string | undefined {
  const last = answer
    .trim()
    .split(/(?<=[.!?])\s+|\n+/)
    .at(-1);
  return last !== undefined && last.split(/\s+/).length <= 20 && hasClosing(last) ? last : undefined;
}

function hasClosing(answer: string): boolean {
  const last = answer.trim().slice(-160);
  return (
    /(?:!|\p{Extended_Pictographic}\uFE0F?)["*_)\s]*$/u.test(last) ||
    /\b(?:happy to help|glad to help|let me know|hope (?:this|that|it) helps|anything else|feel free|(?:have|enjoy) (?:a|your) \w+ ?\w*|you(?:'|’)re welcome|good luck|cheers|all the best|here to help)\b[^.!?]*[.!?)*_\s]*$/i.test(
      last,
    )
  );
}

/** Our closing is English: it is not put under an answer in another language. */
function isEnglish(answer: string, language: string | undefined): boolean {
  if (language !== undefined) return /^en/i.test(language);
  const words = answer.toLowerCase().match(/\p{L}+/gu) ?? [];
  const common = words.filter((word) => ENGLISH.has(word)).length;
  return words.length < 4 ? /^[\p{ASCII}]*$/u.test(answer) : common / words.length > 0.1;
}

const ENGLISH = new Set(
  "the a an is are was were be been it its of to in on and or for with by this that there no not has have had does do can as at from you i".split(
    " ",
  ),
);
