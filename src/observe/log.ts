import { fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Writable } from "node:stream";

import { type Logger, pino } from "pino";

import type { JsonObject, JsonValue } from "#contract/json.ts";

import { makePrivateFile, makePrivateFolder } from "../base/private-files.ts";
import type { Redactor } from "../base/redact.ts";
import { plainJson, plainLine, plainText } from "../base/text.ts";

/** Where log lines go: machine-readable lines on stdout, readable ones on a terminal, or a file. */
export type LogTarget =
  | { kind: "json" }
  | { kind: "pretty" }
  | { kind: "file"; path: string }
  /** Each line as JSON. */
  | { kind: "lines"; write: (line: string) => void };

/**
 * The log of the process. Everything that is logged passes through the redactor, so a secret cannot
 * leave by a careless line.
 */
export async function createLog(options: {
  level: string;
  redactor: Redactor;
  target: LogTarget;
  /** Called with the level of each line; must not throw. */
  onLine?: (level: string) => void;
  /** Called with each line that is dropped, as nobody reads in time; must not throw. */
  onDrop?: () => void;
}): Promise<Logger> {
  const { redactor, onDrop = () => {} } = options;
  const target = await openTarget(options.target, {
    onDrop,
    onAgain: (lines) => log.warn({ lines }, "lines of the log were dropped: nobody read them in time"),
  });
  const log: Logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => redactor.json(toJson(line)) as Record<string, unknown>,
      },
      hooks: {
        logMethod(args, method, level) {
          options.onLine?.(pino.levels.labels[level] ?? "");
          const [first, ...rest] = args as unknown[];
          // pino takes the message of a bare error as the message of the line.
          const all = first instanceof Error && rest.length === 0 ? [first, first.message] : [first, ...rest];
          const safe = all.map((arg) => (typeof arg === "string" ? redactor.text(arg) : arg));
          method.apply(this, safe as Parameters<typeof method>);
        },
      },
    },
    // Whole lines pass through the redactor once more: fields of child logs take no other way.
    { write: (line) => target.write(plainJson(redactor.text(line))) },
  );
  return log;
}

async function openTarget(target: LogTarget, events: OutletEvents): Promise<Outlet> {
  if (target.kind === "lines") return target;
  if (target.kind === "file") {
    makePrivateFolder(dirname(target.path));
    makePrivateFile(target.path);
    return toFile(openSync(target.path, "a"), events);
  }
  const outlet = fstatSync(1).isFile() ? toFile(1, events) : toStream(process.stdout, events);
  if (target.kind === "json") return outlet;
  const { prettyFactory } = await import("pino-pretty");
  const toLines = prettyFactory({ translateTime: "HH:MM:ss", ignore: "pid,hostname" });
  return { write: (line) => outlet.write(toLines(forTerminal(line))) };
}

/** A line of which a terminal obeys nothing: it is given the strings of a log line as they were, not as JSON. */
function forTerminal(line: string): string {
  const safe = plainStrings(JSON.parse(line) as JsonValue) as JsonObject;
  // The fields are written with their quotes; the message has none, so its line breaks would pass for lines.
  if (typeof safe["msg"] === "string") safe["msg"] = plainLine(safe["msg"]);
  return `${JSON.stringify(safe)}\n`;
}

function plainStrings(value: JsonValue): JsonValue {
  if (typeof value === "string") return plainText(value);
  if (Array.isArray(value)) return value.map(plainStrings);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [plainLine(key), plainStrings(item)]));
}

/** What a log line holds, as plain JSON; errors keep their code, message and stack. */
function toJson(value: unknown): JsonValue {
  /** The objects around the one that is written. */
  const around: unknown[] = [];
  const text = JSON.stringify(value, function (this: unknown, _key: string, item: unknown) {
    if (item instanceof Error) {
      const code = "code" in item ? { code: String(item.code) } : {};
      // What a driver said, under the words for people.
      const cause = item.cause instanceof Error ? { cause: item.cause.message } : {};
      return { ...code, message: item.message, ...cause, stack: item.stack ?? "" };
    }
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null) return item;
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    if (around.includes(item)) return "[circular]";
    around.push(item);
    return item;
  });
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}

/** What may wait for a reader, in characters; further lines are dropped. */
const MOST_WAITING = 1024 * 1024;

/** Where lines of the log go, whether or not somebody takes them: nothing waits for that, and nothing ends by it. */
interface Outlet {
  write(line: string): void;
}

export interface OutletEvents {
  /** A line was dropped. */
  onDrop: () => void;
  /** Lines are taken again; so many were dropped before. */
  onAgain: (lines: number) => void;
}

/**
 * Writes to a pipe or a terminal as long as its reader keeps up, within a bound. What a pipe has room for it takes at
 * once, so that a process that is killed leaves no such line behind.
 */
export function toStream(stream: Writable, events: OutletEvents): Outlet {
  const dropped = countDropped(events);
  const taken = (error?: Error | null): void => {
    if (error != null) dropped.add();
  };
  beNonBlocking(stream);
  // A reader that is gone takes nothing any more, and stops nobody.
  stream.on("error", () => {});
  stream.on("drain", dropped.tell);
  return {
    write(line) {
      if (stream.writableLength > MOST_WAITING) dropped.add();
      else stream.write(line, taken);
    },
  };
}

/** Writes to a file at once; its disk may be full for a while. */
export function toFile(fd: number, events: OutletEvents): Outlet {
  const dropped = countDropped(events);
  return {
    write(line) {
      try {
        writeSync(fd, line);
      } catch {
        return dropped.add();
      }
      dropped.tell();
    },
  };
}

function countDropped({ onDrop, onAgain }: OutletEvents): { add(): void; tell: () => void } {
  let dropped = 0;
  return {
    add() {
      dropped += 1;
      onDrop();
    },
    tell() {
      const lines = dropped;
      dropped = 0;
      if (lines > 0) onAgain(lines);
    },
  };
}

/** Node has a process wait for its terminal, where one key (Ctrl-S) stops whoever writes. */
function beNonBlocking(stream: Writable): void {
  const { isTTY, _handle: handle } = stream as { isTTY?: boolean; _handle?: TerminalHandle };
  if (isTTY === true) handle?.setBlocking?.(false);
}

/** Node keeps it for itself; without it a terminal is waited for, as before. */
interface TerminalHandle {
  setBlocking?(on: boolean): void;
}
