import { messageOf } from "../base/errors.ts";
import type { Connection } from "./connection.ts";

/** One connection that many calls share. */
export interface Session {
  /** The open connection; opens it when there is none. Concurrent callers share one opening. */
  acquire(): Promise<Connection>;
  /** The connection, where it is open. */
  live(): Connection | undefined;
  /** Gives a connection up, so that the next call opens a fresh one. */
  drop(connection: Connection): void;
  /** Gives up what is open, for good. */
  end(): void;
}

export interface SessionOptions {
  open: () => Promise<Connection>;
  /** Must not throw. */
  close: (connection: Connection) => void;
  /** The connection ended by itself. Must not throw. */
  onLost: (why: string) => void;
}

export function createSession({ open, close, onLost }: SessionOptions): Session {
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;
  let ended = false;

  async function openOnce(): Promise<Connection> {
    const connection = await open();
    if (ended) {
      close(connection);
      throw new Error("the tool box was stopped");
    }
    live = connection;
    const onEnd = (): void => {
      if (live !== connection) return;
      drop(connection);
      onLost(messageOf(connection.lost.reason));
    };
    if (connection.lost.aborted) onEnd();
    else connection.lost.addEventListener("abort", onEnd, { once: true });
    return connection;
  }

  function acquire(): Promise<Connection> {
    if (ended) return Promise.reject(new Error("the tool box was stopped"));
    if (current === undefined) {
      const opening = openOnce();
      current = opening;
      opening.catch(() => {
        if (current === opening) current = undefined;
      });
    }
    return current;
  }

  function drop(connection: Connection): void {
    if (live !== connection) return;
    live = undefined;
    current = undefined;
    close(connection);
  }

  return {
    acquire,
    live: () => live,
    drop,
    end() {
      ended = true;
      if (live !== undefined) drop(live);
    },
  };
}
