import type { Approval } from "#contract/approval.ts";
import type { Turn } from "#contract/turn.ts";

/** What is told of a part; texts and data of tools only where `Tracer.mayTellData`. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a turn that is under way. */
export interface Part {
  /** The trace context of W3C, for whoever is asked in this part; undefined where nothing is traced. */
  readonly traceparent?: string;
  tell(facts: Facts): void;
  /** It came to this error. */
  fail(code: string): void;
}

/** A run of a turn as it came to its end. */
export type EndedRun = Pick<Turn, "surface" | "state" | "createdAt" | "message" | "error" | "result"> & {
  /** Which run it was, from 1. */
  epoch: number;
};

/**
 * Tells where the time of turns goes: one trace a turn, on whichever replica its parts happen. Nothing here throws or
 * waits, and what is outside a turn is not told.
 */
export interface Tracer {
  /** The operator allowed texts and data of tools. */
  readonly mayTellData: boolean;
  /** A run of a turn; what happens in it is part of it. */
  run<Run extends EndedRun | undefined>(turnId: string, work: () => Promise<Run>): Promise<Run>;
  /** A part of the run around it; where there is none, of the turn `of`. */
  part<Result>(name: string, facts: Facts, work: (part: Part) => Result, of?: string): Result;
  /** The run around it goes on with a request that was approved. */
  approved(approval: Pick<Approval, "id" | "createdAt" | "decidedAt">): void;
  /** Sends what is left, for a moment at most. Never rejects. */
  close(): Promise<void>;
}

const untold: Part = { tell: () => {}, fail: () => {} };

/** Costs nothing. */
const noTracer: Tracer = {
  mayTellData: false,
  run: (_turnId, work) => work(),
  part: (_name, _facts, work) => work(untold),
  approved: () => {},
  close: () => Promise.resolve(),
};

export interface TraceOptions {
  /** Where OTLP over HTTP is taken, such as `http://127.0.0.1:4318`; empty: nothing is traced. */
  otlp_url: string;
  /** The part of all turns that are traced, from 0 to 1. */
  share: number;
  /** Messages, arguments and results go along. */
  data: boolean;
  version: string;
  /** Masks secrets in what goes along. */
  mask: (text: string) => string;
  /** Told of each delivery; must not throw. */
  onDelivery: (spans: number, error?: Error) => void;
}

/** Loaded where it is switched on: OpenTelemetry takes memory. */
export async function openTracer(options: TraceOptions): Promise<Tracer> {
  if (options.otlp_url === "") return noTracer;
  const { createTracer } = await import("./otlp.ts");
  return createTracer(options);
}
