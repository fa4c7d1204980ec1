import type { Draft } from "./draft.ts";
import { agrees, type Setup, type Step } from "./step.ts";
import { approvers } from "./steps/approvers.ts";
import { confluence, jira } from "./steps/atlassian.ts";
import { demo } from "./steps/demo.ts";
import { discord } from "./steps/discord.ts";
import { model } from "./steps/model.ts";
import { slack } from "./steps/slack.ts";

export const STEPS: readonly Step[] = [model, jira, confluence, demo, slack, discord, approvers];

/** Goes through these steps; each writes what it found before the next begins, so that leaving loses none. */
export async function runSteps(setup: Setup, steps: readonly Step[]): Promise<void> {
  const { surface, draft } = setup;
  for (const [index, step] of steps.entries()) {
    surface.tell("step", steps.length === 1 ? step.title : `${index + 1} of ${steps.length}. ${step.title}`);
    await step.run(setup);
    await write(setup, step);
  }
  surface.tell("good", `That is all. ${surface.next}`);
  for (const line of nextWords(draft)) surface.tell("info", line);
}

async function write({ surface, draft }: Setup, { id }: Step): Promise<void> {
  const changes = draft.changes();
  if (changes.length === 0) return;
  for (const line of changes) surface.tell("change", line);
  const question = { id: `${id}.write`, title: "Write these lines?", initial: "yes" };
  if (!(await agrees({ surface }, question, "Yes", "No, leave everything as it was"))) return draft.drop();
  for (const name of draft.shadowed())
    surface.tell(
      "bad",
      `${name} is also set in this shell, and that counts before ${draft.named.env}. Type: unset ${name}`,
    );
  await draft.write();
  surface.tell("good", "Written.");
}

function nextWords({ settings }: Draft): string[] {
  const [example = "show me DEMO-1"] = settings.examples.map(({ message }) => message);
  return [
    "Then ask it something:",
    ...(settings.slack.bot_token === ""
      ? []
      : [`  in Slack: /invite @Countersign in a channel, then @Countersign ${example}`]),
    ...(settings.discord.token === "" ? [] : [`  in Discord: @Countersign ${example}`]),
    `  in your browser, at http://127.0.0.1:${settings.http.port || 8787}: ${example}`,
    "When something does not work, npm run doctor says why. npm run setup can be done again at any time.",
  ];
}
