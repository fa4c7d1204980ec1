import { CountersignError, messageOf } from "#src/base/errors.ts";
import { didYouMean } from "#src/base/suggest.ts";

import { thisMachine } from "../checks/machine.ts";
import type { CommandCall } from "../command-line.ts";
import { createAnswersSurface, readAnswers } from "../setup/answers.ts";
import { openDraft } from "../setup/draft.ts";
import { runSteps, STEPS } from "../setup/run.ts";
import type { Step } from "../setup/step.ts";
import { SetupLeft } from "../setup/surface.ts";
import { complain } from "../output.ts";

/** Leads from nothing to a product that works with the team's own tools. Exit code 1 where somebody left, or an answer did not work. */
export async function setup({ options }: CommandCall): Promise<number> {
  const steps = chosenSteps(options.only);
  const { answers: file } = options;
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY;
  if (file === undefined && !isTerminal) {
    throw new CountersignError(
      "wrong_use",
      "setup asks questions: type it in a terminal, or give the answers with --answers FILE (docs/setup.md).",
    );
  }
  const draft = await openDraft({
    ...(options.config === undefined ? {} : { file: options.config }),
    env: process.env,
    cwd: process.cwd(),
  });
  const machine = thisMachine();
  if (file !== undefined) {
    const surface = createAnswersSurface(await readAnswers(file, process.env));
    await runSteps({ surface, draft, machine }, steps);
    const unused = surface.unused();
    if (unused.length > 0) complain(`Nobody asked for: ${unused.join(", ")}.`);
    return 0;
  }
  // Loaded here: scripts need none of it.
  const { createTerminalSurface } = await import("../setup/terminal.ts");
  const surface = createTerminalSurface();
  surface.tell(
    "info",
    `Enter takes what is there, Ctrl+C leaves. It writes ${draft.named.config} and ${draft.named.env}, and shows before what.`,
  );
  // Between two questions, while something is tried; @clack/prompts ends the process there as if all were well.
  const interrupt = (): never => process.exit(1);
  const leave = (): void => {
    complain(messageOf(new SetupLeft()));
    process.exitCode = 1;
  };
  process.once("SIGINT", interrupt).once("exit", leave);
  try {
    await runSteps({ surface, draft, machine }, steps);
  } finally {
    process.off("SIGINT", interrupt).off("exit", leave);
    surface.close();
  }
  return 0;
}

/** Throws `wrong_use` for a step that there is not. */
function chosenSteps(only: string | undefined): readonly Step[] {
  if (only === undefined) return STEPS;
  const names = STEPS.map(({ id }) => id);
  const wanted = only.split(",").map((name) => name.trim());
  for (const name of wanted) {
    if (names.includes(name)) continue;
    const message = `--only: expected ${names.join(", ")}, got ${name}.${didYouMean(name, names)}`;
    throw new CountersignError("wrong_use", message);
  }
  return STEPS.filter(({ id }) => wanted.includes(id));
}
