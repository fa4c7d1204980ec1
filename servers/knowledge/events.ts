import { messageOf } from "../kit/tool.ts";

const STREAM = "task_events";
/** Events that wait for Redis; further ones are dropped. */
const MOST_WAITING = 200;
const REDIS_MS = 2_000;
/** Warnings come no more often, in milliseconds. */
const WARN_EVERY_MS = 30_000;

export interface EventPublisher {
  /** Publishes in the background; nothing without a task. Never throws, never waits. */
  publish(type: "knowledge:query" | "knowledge:result", taskId: string, data: object): void;
  close(): void;
}

/**
 * Tells the Redis at `REDIS_URL` of questions and answers, unless PUBLISH_KNOWLEDGE_EVENTS is false. A Redis that is
 * down, slow or hung costs a warning.
 */
export async function openEvents(
  env: NodeJS.ProcessEnv,
  warn: (message: string) => void = toStderr,
): Promise<EventPublisher> {
  const url = env.REDIS_URL?.trim() ?? "";
  const isOff = /^(?:0|false|no|off)$/i.test(env.PUBLISH_KNOWLEDGE_EVENTS?.trim() ?? "");
  if (url === "" || isOff) return { publish: () => {}, close: () => {} };
  // Loaded only where there is a Redis.
  const { createClient } = await import("@redis/client");
  let warnedAt = -Infinity;
  let waiting = 0;
  let client: ReturnType<typeof connect> | undefined;

  function tell(error: unknown): void {
    if (performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    warn(`knowledge events are not published: ${messageOf(error)}`);
  }

  function connect() {
    const made = createClient({
      url,
      commandsQueueMaxLength: MOST_WAITING,
      socket: {
        connectTimeout: REDIS_MS,
        reconnectStrategy: (retries) => Math.min(250 * 2 ** retries, 15_000),
      },
    });
    made.on("error", tell);
    made.connect().catch(tell);
    return made;
  }

  return {
    publish(type, taskId, data) {
      if (taskId === "") return;
      try {
        if (waiting >= MOST_WAITING) throw new Error(`${waiting} events wait for Redis already`);
        client ??= connect();
        waiting += 1;
        const fields = {
          type,
          task_id: taskId,
          timestamp: new Date().toISOString(),
          data: JSON.stringify(data),
        };
        client
          .withAbortSignal(AbortSignal.timeout(REDIS_MS))
          .xAdd(STREAM, "*", fields)
          .catch(tell)
          .finally(() => (waiting -= 1));
      } catch (error) {
        tell(error);
      }
    },
    close: () => client?.destroy(),
  };
}

function toStderr(message: string): void {
  process.stderr.write(`${message}\n`);
}
