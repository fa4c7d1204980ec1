import { statfs } from "node:fs/promises";
import { totalmem } from "node:os";

import { failed, type Finding, ok, skipped } from "./finding.ts";

/** What the checks read of the machine; a test gives another. */
export interface Machine {
  /** Such as 24.21.0. */
  nodeVersion: string;
  /** What this process may use, in bytes. */
  memoryBytes: number;
  now: () => number;
  /** Of a folder that is there. `isMemory`: what is written is gone when the machine restarts. */
  disk(folder: string): Promise<{ freeBytes: number; isMemory: boolean }>;
}

/** statfs(2): tmpfs and ramfs. */
const MEMORY_FILE_SYSTEMS: readonly number[] = [0x01_02_19_94, 0x85_84_58_f6];

export function thisMachine(): Machine {
  // 0, or more than there is, where nothing limits the process.
  const limit = process.constrainedMemory();
  const all = totalmem();
  return {
    nodeVersion: process.versions.node,
    memoryBytes: limit > 0 && limit < all ? limit : all,
    now: Date.now,
    async disk(folder) {
      const { bavail, bsize, type } = await statfs(folder);
      return { freeBytes: bavail * bsize, isMemory: MEMORY_FILE_SYSTEMS.includes(type) };
    },
  };
}

const LEAST_NODE = 24;

export function checkNode({ nodeVersion }: Machine): Finding[] {
  const major = Number.parseInt(nodeVersion, 10);
  if (major >= LEAST_NODE) return [ok("node", `Node ${nodeVersion} runs it.`)];
  return [
    failed(
      "node",
      `Node ${nodeVersion} runs it, and it needs ${LEAST_NODE} or newer.`,
      "npm ci brings a Node of its own: start with npm start, or get Node 24 from https://nodejs.org.",
    ),
  ];
}

/** Slack refuses signatures, and requests expire, by the time. */
const MOST_SKEW_MS = 60_000;

/** What somebody else's clock said, and this machine's at that moment; ms since the epoch. */
export interface ToldTime {
  /** Such as Slack. */
  whose: string;
  theirs: number;
  ours: number;
}

export function checkClock(others: readonly ToldTime[]): Finding[] {
  const [first] = others;
  if (first === undefined)
    return [
      skipped("clock", "No chat platform told its time, so the clock of this machine was not compared."),
    ];
  const off = others.find(({ theirs, ours }) => Math.abs(theirs - ours) > MOST_SKEW_MS);
  if (off === undefined) return [ok("clock", `The clock agrees with ${first.whose}'s.`)];
  const seconds = Math.round((off.ours - off.theirs) / 1000);
  const size =
    Math.abs(seconds) < 120
      ? `${Math.abs(seconds)} seconds`
      : `${Math.round(Math.abs(seconds) / 60)} minutes`;
  return [
    failed(
      "clock",
      `The clock of this machine is ${size} ${seconds > 0 ? "ahead of" : "behind"} ${off.whose}'s.`,
      "Type: sudo timedatectl set-ntp true",
    ),
  ];
}
