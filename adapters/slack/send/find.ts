import type { WebClient } from "@slack/web-api";

import type { CallBudget } from "./budget.ts";

interface Page {
  response_metadata?: { next_cursor?: string };
}

/** Every page of a list, each read when the one before it was looked through. */
export async function* pagesOf<One extends Page>(
  read: (cursor: { cursor?: string }) => Promise<One>,
): AsyncGenerator<One> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield page;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor !== undefined && cursor !== "");
}

/** What the metadata of a message says it is about. */
export type MessageSubject = { turn_id: string } | { notice_id: string };

/**
 * Finds a message by its metadata, in a thread or in a channel. Resolves to its `ts`; undefined where there
 * is none since `oldest`.
 */
export async function findMessage(
  {
    team,
    channel,
    thread,
    oldest,
  }: { team: string; channel: string; thread?: string | undefined; oldest?: string | undefined },
  subject: MessageSubject,
  { client, budget }: { client: WebClient; budget: Pick<CallBudget, "run"> },
): Promise<string | undefined> {
  const since = oldest === undefined ? {} : { oldest };
  const pages = pagesOf((cursor) => {
    const range = { channel, include_all_metadata: true, limit: 200, ...since, ...cursor };
    return budget.run("find", `${team} ${channel}`, () =>
      thread === undefined
        ? client.conversations.history(range)
        : client.conversations.replies({ ...range, ts: thread }),
    );
  });
  const [[key, id] = []] = Object.entries(subject);
  for await (const { messages = [] } of pages) {
    const found = messages.find(({ metadata }) => {
      const payload: Record<string, unknown> | undefined = metadata?.event_payload;
      return key !== undefined && payload?.[key] === id;
    });
    if (found?.ts !== undefined) return found.ts;
  }
  return undefined;
}
