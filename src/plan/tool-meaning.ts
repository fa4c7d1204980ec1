import { setTimeout as delay } from "node:timers/promises";

import type { EmbedPort } from "#contract/model.ts";
import type { PlanInput } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";

import { messageOf } from "../base/errors.ts";
import { digest } from "../base/json.ts";
import { dotAt, toUnit } from "../base/vectors.ts";
import { rolesOf, toToolText } from "./word-search.ts";

export interface ToolMeaningOptions {
  /** The model that embeds, while it is there; always the same one. */
  embedder: () => EmbedPort | undefined;
  /** Keeps vectors across restarts, by the model that made them and the digest of the text. */
  kept: {
    load(model: string, keys: readonly string[]): Promise<Map<string, Float32Array>>;
    keep(model: string, vectors: ReadonlyMap<string, ArrayLike<number>>): Promise<void>;
    dropUnused(): Promise<void>;
  };
  log: { info(data: object, message: string): void; warn(data: object, message: string): void };
  now: () => number;
  /** How long a turn waits for its request to be embedded, in ms. Default 1 000. */
  patienceMs?: number;
}

type MeaningInput = Pick<PlanInput, "message" | "tools"> & { quote?: PlanInput["quote"] };

/**
 * Ranks tools by how near what they say of themselves is to a request. What is sent to the model is the
 * request, as its planner is sent it, and what servers say of their tools: neither is data of a tool, so
 * that it may be sent in privacy mode as well. Quotes that hold such data are not in the input there.
 */
export interface ToolMeaning {
  /** Sees to the vectors of these tools, in the background. */
  prepare(tools: readonly Tool[]): void;
  /**
   * Ids of the nearest tools, best first. None while the vectors are being made, or where the model does
   * not answer in time: there is another way to choose. Never rejects.
   */
  rank(input: MeaningInput, signal: AbortSignal): Promise<string[]>;
  close(): void;
}

/** Few at once: a request of a person has to wait behind one such batch at most. */
const BATCH = 16;
const NEAREST = 50;
const PATIENCE_MS = 1_000;
/** After a failure the model is left alone for so long. */
const REST_MS = 30_000;
const QUOTE_CHARS = 500;
const MESSAGE_CHARS = 2_000;
const REMEMBERED_REQUESTS = 100;

interface Known {
  /** Digest of the text. */
  key: string;
  text: string;
  vector?: Float32Array;
}

export function createToolMeaning(options: ToolMeaningOptions): ToolMeaning {
  const { kept, log, now } = options;
  const ended = new AbortController();
  /** Tools are never changed in place, and what is known of them goes with them. */
  const known = new WeakMap<Tool, Known>();
  /** A turn of several steps asks for the same each time. */
  const requests = new Map<string, Float32Array>();
  let table: { of: readonly Tool[]; made: number; vectors: VectorTable } | undefined;
  /** Counts the vectors, to know when there are more. */
  let made = 0;
  let wanted: readonly Tool[] | undefined;
  let isWorking = false;
  let restsUntil = 0;
  /** Requests that were not embedded in time and still are under way. */
  let late = 0;

  function lookUp(tool: Tool): Known {
    let found = known.get(tool);
    if (found === undefined) {
      const text = toToolText(tool);
      found = { key: digest(text), text };
      known.set(tool, found);
    }
    return found;
  }

  /** Makes what is missing; tells how many were embedded. */
  async function cover(tools: readonly Tool[], embedder: EmbedPort): Promise<number> {
    const left = Map.groupBy(
      tools.map(lookUp).filter(({ vector }) => vector === undefined),
      ({ key }) => key,
    );
    const found = (key: string, vector: Float32Array): void => {
      for (const one of left.get(key) ?? []) one.vector = vector;
      made += 1;
      left.delete(key);
    };
    for (const [key, vector] of await kept.load(embedder.model, [...left.keys()])) found(key, vector);
    const { kept: role } = rolesOf(embedder.model);
    const open = [...left.values()].flatMap(([one]) => one ?? []);
    for (let at = 0; at < open.length; at += BATCH) {
      const batch = open.slice(at, at + BATCH);
      const answered = await embedder.embed(
        batch.map(({ text }) => `${role}${text}`),
        ended.signal,
      );
      if (answered.length !== batch.length)
        throw new Error(`expected ${batch.length} vectors of ${embedder.model}, got ${answered.length}`);
      const units = new Map(batch.map(({ key }, place) => [key, toUnit(answered[place] ?? [])]));
      await kept.keep(embedder.model, units);
      for (const [key, unit] of units) found(key, unit);
    }
    await kept.dropUnused();
    return open.length;
  }

  async function work(embedder: EmbedPort): Promise<{ tools: number; embedded: number }> {
    const done = { tools: 0, embedded: 0 };
    while (wanted !== undefined && !ended.signal.aborted) {
      const tools = wanted;
      wanted = undefined;
      done.tools = tools.length;
      done.embedded += await cover(tools, embedder);
    }
    return done;
  }

  function prepare(tools: readonly Tool[]): void {
    wanted = tools;
    const embedder = options.embedder();
    if (isWorking || embedder === undefined || now() < restsUntil) return;
    if (tools.every((tool) => lookUp(tool).vector !== undefined)) return;
    isWorking = true;
    work(embedder).then(
      (done) => {
        isWorking = false;
        log.info({ ...done, model: embedder.model }, "tools can be found by meaning");
      },
      (error: unknown) => {
        isWorking = false;
        if (ended.signal.aborted) return;
        restsUntil = now() + REST_MS;
        log.warn({ error: messageOf(error) }, "tools could not be embedded, will be tried again");
      },
    );
  }

  /** The request as a vector; undefined where that takes too long or fails. */
  async function embedRequest(
    request: string,
    embedder: EmbedPort,
    signal: AbortSignal,
  ): Promise<Float32Array | undefined> {
    const earlier = requests.get(request);
    if (earlier !== undefined) return earlier;
    // Goes on when nobody waits any more: a model that is being loaded then has been for the next turn.
    const asked = embedder
      .embed([`${rolesOf(embedder.model).asked}${request}`], ended.signal)
      .then(([vector]) => {
        if (vector === undefined) return undefined;
        const unit = toUnit(vector);
        requests.set(request, unit);
        const [oldest] = requests.keys();
        if (requests.size > REMEMBERED_REQUESTS && oldest !== undefined) requests.delete(oldest);
        return unit;
      })
      .catch((error: unknown) => {
        if (ended.signal.aborted) return undefined;
        restsUntil = now() + REST_MS;
        log.warn(
          { error: messageOf(error) },
          "a request could not be embedded: tools are chosen by their words",
        );
        return undefined;
      });
    const inTime = new AbortController();
    const limit = delay(options.patienceMs ?? PATIENCE_MS, "late" as const, {
      signal: AbortSignal.any([signal, inTime.signal]),
    }).catch(() => "late" as const);
    const first = await Promise.race([asked, limit]);
    inTime.abort();
    if (first !== "late") return first;
    late += 1;
    void asked.finally(() => {
      late -= 1;
    });
    return undefined;
  }

  return {
    prepare,

    async rank({ message, quote, tools }, signal) {
      const embedder = options.embedder();
      if (embedder === undefined || now() < restsUntil) return [];
      prepare(tools);
      // The model is at work on the tools, or does not answer: nobody waits for it.
      if (isWorking || late > 0) return [];
      const quoted = quote === undefined ? "" : `\n${quote.text.slice(0, QUOTE_CHARS)}`;
      const request = `${message.slice(0, MESSAGE_CHARS)}${quoted}`.toWellFormed();
      const asked = await embedRequest(request, embedder, signal);
      return asked === undefined ? [] : tableOf(tools).nearest(asked, NEAREST);
    },

    close() {
      ended.abort();
    },
  };

  /** Kept for the catalogue that was asked about last, and made again once it knows more. */
  function tableOf(tools: readonly Tool[]): VectorTable {
    const isSame =
      table?.made === made &&
      table.of.length === tools.length &&
      table.of.every((tool, at) => tool === tools[at]);
    if (table === undefined || !isSame) {
      const items = tools.map((tool) => ({ id: tool.id, vector: lookUp(tool).vector }));
      table = { of: tools, made, vectors: createVectorTable(items) };
    }
    return table.vectors;
  }
}

/** Vectors of one length side by side in memory: a look through 2,000 of them is bound by fetching them. */
interface VectorTable {
  /** Ids of those that point most in this direction, best first; none that stand across or against it. */
  nearest(direction: Float32Array, most: number): string[];
}

/** Items without a vector, or with one of another length than the first, are not found. */
function createVectorTable(items: readonly { id: string; vector: Float32Array | undefined }[]): VectorTable {
  const width = items.find(({ vector }) => vector !== undefined)?.vector?.length ?? 0;
  const rows = new Float32Array(items.length * width);
  for (const [row, { vector }] of items.entries())
    if (vector?.length === width) rows.set(vector, row * width);

  return {
    nearest(direction, most) {
      if (direction.length !== width) return [];
      const likeness = Float64Array.from(items, (_, row) => dotAt(direction, rows, row * width));
      return [...likeness.keys()]
        .filter((row) => (likeness[row] ?? 0) > 0)
        .toSorted((a, b) => (likeness[b] ?? 0) - (likeness[a] ?? 0))
        .slice(0, most)
        .flatMap((row) => items[row]?.id ?? []);
    },
  };
}
