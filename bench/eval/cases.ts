import { readFileSync } from "node:fs";

import { parse } from "yaml";

import type { JsonObject } from "#contract/json.ts";

export const PARTS = [
  "single",
  "among",
  "several",
  "followup",
  "missing",
  "irrelevant",
  "readwrite",
] as const;
export type Part = (typeof PARTS)[number];

export interface Call {
  tool: string;
  args: JsonObject;
}

/** What has to come of a message. */
export type Expected =
  | { kind: "calls"; calls: Call[] }
  | { kind: "ask"; tool: string; fields: string[] }
  | { kind: "refuse" }
  /** Anything else, as people said that this was wrong. */
  | { kind: "other"; than: Expected };

export interface Case {
  part: Part;
  say: string;
  before: {
    say: string;
    calls: Call[];
    found: string[];
    question?: { tool: string; args: JsonObject; fields: string[] };
  }[];
  /** Any of them is right. */
  expected: Expected[];
  /** The key that searches of this turn find. */
  found?: string;
}

type Named = Record<string, JsonObject>;

interface Written {
  part: Part;
  say: string;
  calls?: Named[];
  ask?: Record<string, string[]>;
  refuse?: true;
  not?: Pick<Written, "calls" | "ask" | "refuse">;
  or?: Written[];
  found?: string;
  before?: { say: string; calls?: Named[]; found?: string[]; ask?: Named; fields?: string[] }[];
}

export function readCases(): Case[] {
  const url = new URL("../../test/fixtures/eval/cases.yaml", import.meta.url);
  return (parse(readFileSync(url, "utf8")) as Written[]).map(toCase);
}

/** Cases that `countersign feedback export` wrote, a line each. */
export function readRatedCases(file: string): Case[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => toCase(JSON.parse(line) as Written));
}

function toCase(written: Written): Case {
  return {
    part: written.part,
    say: written.say,
    before: (written.before ?? []).map(({ say, calls = [], found = [], ask, fields = [] }) => {
      const [question] = Object.entries(ask ?? {});
      return {
        say,
        calls: calls.flatMap(toCalls),
        found,
        ...(question === undefined ? {} : { question: { tool: question[0], args: question[1], fields } }),
      };
    }),
    expected: [written, ...(written.or ?? [])].map(toExpected),
    ...(written.found === undefined ? {} : { found: written.found }),
  };
}

function toExpected({ calls, ask, refuse, not, say }: Written): Expected {
  if (not !== undefined) return { kind: "other", than: toExpected({ ...not, part: "single", say }) };
  if (refuse === true) return { kind: "refuse" };
  if (calls !== undefined) return { kind: "calls", calls: calls.flatMap(toCalls) };
  const [asked] = Object.entries(ask ?? {});
  if (asked === undefined) throw new Error(`expected calls, ask or refuse for: ${say}`);
  return { kind: "ask", tool: asked[0], fields: asked[1] };
}

function toCalls(named: Named): Call[] {
  return Object.entries(named).map(([tool, args]) => ({ tool, args }));
}
