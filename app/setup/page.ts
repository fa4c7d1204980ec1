import { randomUUID } from "node:crypto";

import type { SetupLine, SetupPage, SetupQuestion, SetupState } from "#contract/setup.ts";
import { messageOf } from "#src/base/errors.ts";
import { sleep } from "#src/base/time.ts";

import { thisMachine } from "../checks/machine.ts";
import type { Source } from "../checks/settings.ts";
import { SetupLeft, type Surface } from "./surface.ts";

/** What is shown of a long set-up. */
const MOST_LINES = 400;

/** One set-up that runs, and what it waits for. */
interface Run {
  lines: SetupLine[];
  working?: string;
  asked?: { question: SetupQuestion; settle(values: readonly string[]): string | undefined; leave(): void };
  fault?: string;
  isOver: boolean;
}

/** The steps of the terminal as a page, one question after the other. What they need is loaded when somebody begins. */
export function createSetupPage(source: Source, isFirst: boolean): SetupPage {
  let run: Run | undefined;
  let key: string = randomUUID();
  let next = Promise.withResolvers<void>();

  function moved(): void {
    key = randomUUID();
    next.resolve();
    next = Promise.withResolvers();
  }

  async function play(current: Run): Promise<void> {
    try {
      const [{ openDraft }, { runSteps, STEPS }] = await Promise.all([
        import("./draft.ts"),
        import("./run.ts"),
      ]);
      const draft = await openDraft(source);
      await runSteps({ surface: createSurface(current, moved), draft, machine: thisMachine() }, STEPS);
    } catch (error) {
      if (!(error instanceof SetupLeft)) tell(current, { kind: "bad", text: messageOf(error) });
    }
    current.isOver = true;
    moved();
  }

  return {
    isFirst,
    async state(limitMs): Promise<SetupState> {
      const limit = AbortSignal.timeout(limitMs);
      const isUnderWay = (): boolean => run !== undefined && run.asked === undefined && !run.isOver;
      while (isUnderWay() && !limit.aborted) await Promise.race([next.promise, sleep(limitMs, limit)]);
      if (run === undefined) return { lines: [], phase: "ready", key };
      const { lines, asked, working, fault, isOver } = run;
      return {
        lines,
        ...(asked === undefined ? {} : { question: asked.question }),
        ...(working === undefined ? {} : { working }),
        ...(fault === undefined ? {} : { fault }),
        phase: isOver ? "over" : "running",
        key,
      };
    },
    begin(given) {
      if (given !== key) return false;
      moved();
      const before = run;
      run = { lines: [], isOver: false };
      if (before !== undefined) {
        before.isOver = true;
        before.asked?.leave();
      }
      void play(run);
      return true;
    },
    answer(given, values) {
      const { asked } = run ?? {};
      if (run === undefined || given !== key || asked === undefined) return false;
      const fault = asked.settle(values);
      if (fault === undefined) delete run.fault;
      else run.fault = fault;
      moved();
      return true;
    },
  };
}

function tell(run: Run, line: SetupLine): void {
  run.lines.push(line);
  if (run.lines.length > MOST_LINES) run.lines.shift();
}

function createSurface(run: Run, moved: () => void): Surface {
  /** `read` takes what the page sent, or says what is wrong with it; `shown` is what stands on the page as the answer. */
  function ask<Answer>(
    question: SetupQuestion,
    read: (values: readonly string[]) => { answer: Answer; shown: string } | string,
  ): Promise<Answer> {
    // Somebody began anew meanwhile.
    if (run.isOver) return Promise.reject(new SetupLeft());
    return new Promise((resolve, reject) => {
      run.asked = {
        question,
        settle(values) {
          const taken = read(values);
          if (typeof taken === "string") return taken;
          delete run.asked;
          tell(run, { kind: "info", text: question.title, answer: taken.shown });
          resolve(taken.answer);
          return undefined;
        },
        leave: () => reject(new SetupLeft()),
      };
      moved();
    });
  }

  return {
    next: "Stop Countersign with Ctrl+C in its terminal, and start it again: npm start",
    text({ check, ...question }) {
      return ask({ kind: "text", ...question }, ([typed = ""]) => {
        const answer = typed.trim();
        if (answer === "" && question.initial === undefined) return "Something has to stand here.";
        return check?.(answer) ?? { answer, shown: answer === "" ? "None" : answer };
      });
    },
    secret({ check, ...question }) {
      return ask<string | undefined>({ kind: "secret", ...question }, ([typed = ""]) => {
        const answer = typed.trim();
        if (answer === "")
          return question.isSet
            ? { answer: undefined, shown: "(the one that is there)" }
            : "Something has to stand here.";
        return check?.(answer) ?? { answer, shown: "(hidden)" };
      });
    },
    choice(question) {
      return ask({ kind: "choice", ...question }, ([value]) => {
        const found = question.options.find((option) => option.value === value);
        return found === undefined ? "Choose one of these." : { answer: found.value, shown: found.label };
      });
    },
    choices(question) {
      return ask({ kind: "choices", ...question }, (values) => {
        const found = question.options.filter((option) => values.includes(option.value));
        return {
          answer: found.map(({ value }) => value),
          shown: found.map(({ label }) => label).join(", ") || "Nobody",
        };
      });
    },
    tell: (kind, text) => tell(run, { kind, text }),
    async link(text, url) {
      tell(run, { kind: "guide", text, url });
    },
    async work(title, work) {
      run.working = title;
      moved();
      try {
        return await work((how) => void (run.working = `${title}: ${how}`));
      } finally {
        delete run.working;
      }
    },
  };
}
