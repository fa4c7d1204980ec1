import { writeSync } from "node:fs";
import type { Writable } from "node:stream";

/** What may wait for a reader, in characters; further lines are dropped. */
const MOST_WAITING = 1024 * 1024;

/** Where lines of the log go, whether or not somebody takes them: nothing waits for that, and nothing ends by it. */
export interface Outlet {
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
