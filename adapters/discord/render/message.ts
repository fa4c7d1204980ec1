import { type APIMessageTopLevelComponent, ComponentType } from "discord-api-types/v10";

import type { RenderedFile } from "../../chat/files.ts";
import { longValues, type LongValues, withUniqueIds } from "./buttons.ts";
import { containersOf, costOf, type MeasuredComponent } from "./card.ts";
import { type Budget, LEAST_BUDGET, LIMITS, MESSAGE_BUDGET } from "./limits.ts";

/** A message of Components V2. */
export interface RenderedMessage {
  components: APIMessageTopLevelComponent[];
  /** To be attached once; each has its place in `components`. */
  files: RenderedFile[];
  /** What has to be in the store before the message is sent. */
  values: LongValues;
}

/** A message as it is put together: what it holds, and what it still has room for. */
export interface Draft {
  left(): Budget;
  add(parts: readonly MeasuredComponent[]): void;
  /** Parts in a box with a coloured edge. */
  addBoxed(parts: readonly MeasuredComponent[], color?: number): void;
  /** Keeps room for what stands at the end. */
  reserve(parts: readonly MeasuredComponent[]): void;
  isEmpty(): boolean;
  /** `others`: names of further files that the message will have. */
  done(
    end: readonly MeasuredComponent[],
    files: readonly RenderedFile[],
    others?: readonly string[],
  ): RenderedMessage;
}

export function createDraft(budget: Budget = MESSAGE_BUDGET): Draft {
  const components: APIMessageTopLevelComponent[] = [];
  const specs: MeasuredComponent["specs"][number][] = [];
  let { chars, components: slots } = budget;
  const reserve = (parts: readonly MeasuredComponent[]): void => {
    const cost = costOf(parts);
    chars -= cost.chars;
    slots -= cost.components;
  };
  const take = (parts: readonly MeasuredComponent[]): void => {
    for (const part of parts) specs.push(...part.specs);
  };
  return {
    left: () => ({ chars, components: slots }),
    reserve,
    isEmpty: () => components.length === 0,
    add(parts) {
      reserve(parts);
      take(parts);
      components.push(...parts.map(({ component }) => component));
    },
    addBoxed(parts, color) {
      if (parts.length === 0) return;
      reserve(parts);
      take(parts);
      components.push(...containersOf(parts, color));
    },
    done(end, given, others = []) {
      take(end);
      const files = atMostTen(given, LIMITS.message.files - others.length);
      const names = [...files.map(({ filename }) => filename), ...others];
      const shown = names.map((filename): APIMessageTopLevelComponent => ({
        type: ComponentType.File,
        file: { url: `attachment://${filename}` },
      }));
      return {
        components: withUniqueIds([...components, ...shown, ...end.map(({ component }) => component)]),
        files,
        values: longValues(specs),
      };
    },
  };
}

/** Whether a budget is enough for any card. */
export function isEnough({ chars, components }: Budget): boolean {
  return chars >= LEAST_BUDGET.chars && components >= LEAST_BUDGET.components;
}

/** A message takes ten files: what is more goes into the last one. */
function atMostTen(files: readonly RenderedFile[], most: number): RenderedFile[] {
  if (files.length <= most) return [...files];
  const rest = files.slice(most - 1);
  const content = rest.map((file) => `${file.filename}\n\n${file.content}\n`).join("\n");
  return [...files.slice(0, most - 1), { filename: "more.txt", content, title: "More results" }];
}
