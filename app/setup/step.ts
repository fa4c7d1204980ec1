import type { Machine } from "../checks/machine.ts";
import type { Draft } from "./draft.ts";
import type { ChoiceQuestion, Surface } from "./surface.ts";

/** What a step works with. */
export interface Setup {
  surface: Surface;
  draft: Draft;
  machine: Machine;
}

/**
 * One part of a set-up, which can be done by itself and again. It asks, tries, and leaves in the draft what is to be
 * written.
 */
export interface Step {
  id: string;
  title: string;
  run(setup: Setup): Promise<void>;
}

/** Asks whether to try again what did not work; false: what it is about stays as it was. */
export async function again(
  { surface }: Pick<Setup, "surface">,
  id: string,
  what: string,
  label = "Correct it",
): Promise<boolean> {
  const chosen = await surface.choice({
    id,
    title: "What now?",
    options: [
      { value: "again", label },
      { value: "leave", label: `Leave ${what} as it was` },
    ],
    initial: "again",
  });
  return chosen === "again";
}

/** Asks something that is answered by yes or no. */
export async function agrees(
  { surface }: Pick<Setup, "surface">,
  question: Omit<ChoiceQuestion, "options">,
  yes = "Yes",
  no = "No",
): Promise<boolean> {
  const options = [
    { value: "yes", label: yes },
    { value: "no", label: no },
  ];
  return (await surface.choice({ ...question, options })) === "yes";
}

/** Asks whether a chat platform is to be connected, or connected anew; false: it stays as it is. */
export async function shallConnect(
  { surface }: Pick<Setup, "surface">,
  platform: { id: string; title: string; ours: string; isOn: boolean; change: string; initial: string },
): Promise<boolean> {
  const { id, title, ours, isOn, change, initial } = platform;
  const chosen = await surface.choice({
    id: `${id}.use`,
    title: `Shall people ask Countersign in ${title}?`,
    options: isOn
      ? [
          { value: "keep", label: "Keep it as it is" },
          { value: "connect", label: `Change ${change}, or try them again` },
        ]
      : [
          { value: "connect", label: `Yes, connect our ${ours}`, hint: "takes about five minutes" },
          { value: "keep", label: "Not now" },
        ],
    initial,
  });
  return chosen === "connect";
}
