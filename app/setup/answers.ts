import type { SetupOption as Option } from "#contract/setup.ts";
import { CountersignError } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { parseConfig, readConfigText, substituteEnv } from "#src/settings/document.ts";

import { complain, print } from "../output.ts";
import type { Surface } from "./surface.ts";

/** By the ids of questions; those of secrets may name variables: `slack.bot_token: ${SLACK_BOT_TOKEN}`. */
export type Answers = Readonly<Record<string, unknown>>;

/** Reads answers from YAML or JSON. Rejects with a ConfigError, or with `wrong_use`. */
export async function readAnswers(file: string, env: NodeJS.ProcessEnv): Promise<Answers> {
  const { data, missing } = substituteEnv(parseConfig(await readConfigText(file, file), file).data, env);
  const [first] = missing;
  if (first !== undefined)
    throw new CountersignError("wrong_use", `${file} names ${first.reference}, which is not set.`);
  if (!isObject(data))
    throw new CountersignError("wrong_use", `${file}: expected lines such as jira.url: acme.`);
  return data;
}

/**
 * Takes every answer from a file; where it has none, what Enter would take. A question that comes again was answered
 * with something that does not work: rejects with `answer_refused`.
 */
export function createAnswersSurface(answers: Answers): Surface & { unused(): string[] } {
  const asked = new Set<string>();
  let wrong = "";

  function answer(id: string): unknown {
    if (asked.has(id))
      throw new CountersignError("answer_refused", `${id}: ${wrong || "this answer does not work"}`);
    asked.add(id);
    return answers[id];
  }

  function refused(id: string, expected: string): CountersignError {
    return new CountersignError(
      "answer_refused",
      `${id}: expected ${expected}. Answers come from the file of --answers.`,
    );
  }

  function textOf(id: string, check?: (given: string) => string | undefined): string | undefined {
    const given = answer(id);
    if (given === undefined) return undefined;
    if (typeof given !== "string" && typeof given !== "number" && typeof given !== "boolean")
      throw refused(id, "a text");
    const said = String(given).trim();
    const fault = check?.(said);
    if (fault !== undefined) throw refused(id, fault);
    return said;
  }

  function optionOf(id: string, options: readonly Option[], said: string): string {
    const same = (one: string | undefined): boolean => one?.toLowerCase() === said.toLowerCase();
    // A person by name or e-mail address.
    const found = options.find(({ value, label, hint }) => [value, label, hint].some(same));
    if (found !== undefined) return found.value;
    throw refused(
      id,
      `one of ${options
        .map(({ value }) => value)
        .slice(0, 20)
        .join(", ")}, got ${said}`,
    );
  }

  return {
    next: "Start it with: npm start",
    unused: () => Object.keys(answers).filter((id) => !asked.has(id)),
    async text({ id, title, initial, check }) {
      const given = textOf(id, check) ?? initial;
      if (given === undefined) throw refused(id, `an answer to: ${title}`);
      return given;
    },
    async secret({ id, title, isSet, check }) {
      const given = textOf(id, check);
      if (given === undefined && !isSet) throw refused(id, `an answer to: ${title}`);
      return given;
    },
    async choice({ id, title, options, initial }) {
      const given = textOf(id);
      if (given !== undefined) return optionOf(id, options, given);
      const isAbout = Object.keys(answers).some((name) => name.startsWith(`${id.split(".")[0]}.`));
      // Whoever answers nothing of a step leaves it out.
      if (id.endsWith(".use")) return isAbout ? "connect" : "keep";
      const isRetry = options.some(({ value }) => value === "again");
      if (isRetry && isAbout) throw new CountersignError("answer_refused", wrong || title);
      return initial;
    },
    async choices({ id, options, initial }) {
      const given = answer(id);
      if (given === undefined) return [...initial];
      return (Array.isArray(given) ? (given as unknown[]) : [given]).map((one) =>
        optionOf(id, options, String(one)),
      );
    },
    tell(kind, text) {
      if (kind === "bad") {
        wrong = text;
        complain(text);
      } else if (kind !== "guide") {
        print(kind === "step" ? `\n${text}` : text);
      }
    },
    // Nobody reads along who could open it.
    link: () => Promise.resolve(),
    work: (_title, work) => work(() => undefined),
  };
}
