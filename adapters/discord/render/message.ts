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
export class Draft {
  readonly left: Budget;
  readonly #components: APIMessageTopLevelComponent[] = [];
  readonly #specs: MeasuredComponent["specs"][number][] = [];

  constructor(budget: Budget = MESSAGE_BUDGET) {
    this.left = { ...budget };
  }

  get isEmpty(): boolean {
    return this.#components.length === 0;
  }

  /** Keeps room for what stands at the end. */
  reserve(parts: readonly MeasuredComponent[]): void {
    const { chars, components } = costOf(parts);
    this.left.chars -= chars;
    this.left.components -= components;
  }

  add(parts: readonly MeasuredComponent[]): void {
    this.#take(
      parts,
      parts.map(({ component }) => component),
    );
  }

  /** Parts in a box with a coloured edge. */
  addBoxed(parts: readonly MeasuredComponent[], color?: number): void {
    this.#take(parts, containersOf(parts, color));
  }

  #take(parts: readonly MeasuredComponent[], made: readonly APIMessageTopLevelComponent[]): void {
    this.reserve(parts);
    this.#specs.push(...parts.flatMap(({ specs }) => specs));
    this.#components.push(...made);
  }

  /** `others`: names of further files that the message will have. */
  done(
    end: readonly MeasuredComponent[] = [],
    given: readonly RenderedFile[] = [],
    others: readonly string[] = [],
  ): RenderedMessage {
    // Pictures show themselves where they stand.
    const isPicture = ({ chart }: RenderedFile): boolean => chart !== undefined;
    const inOrder = [...given.filter(isPicture), ...given.filter((file) => !isPicture(file))];
    const files = atMostTen(inOrder, LIMITS.message.files - others.length);
    const names = [...files.filter((file) => !isPicture(file)).map(({ filename }) => filename), ...others];
    const shown = names.map((filename): APIMessageTopLevelComponent => ({
      type: ComponentType.File,
      file: { url: `attachment://${filename}` },
    }));
    const below = end.map(({ component }) => component);
    return {
      components: withUniqueIds([...this.#components, ...shown, ...below]),
      files,
      values: longValues([...this.#specs, ...end.flatMap(({ specs }) => specs)]),
    };
  }
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
