import type { Receiver } from "@slack/bolt";
import { expect, it } from "vitest";

import { DurableApp, type Ingest } from "#adapters/slack/receive/ingest.ts";
import { toSlackLogger } from "#adapters/slack/install/client.ts";

const nothing = (): void => undefined;
const receiver: Receiver = { init: nothing, start: () => Promise.resolve(), stop: () => Promise.resolve() };
const logger = toSlackLogger({ debug: nothing, info: nothing, warn: nothing, error: nothing });

/** What happened with one event, in order. */
async function deliver(takeDown: (order: string[]) => ReturnType<Ingest>): Promise<string[]> {
  const order: string[] = [];
  const app = new DurableApp(
    {
      token: "xoxb-none",
      receiver,
      logger,
      tokenVerificationEnabled: false,
      botId: "B1",
      botUserId: "U1",
      convoStore: false,
    },
    () => takeDown(order),
  );
  const event = { type: "app_mention", user: "U2", text: "hi", ts: "1.0", channel: "C1", event_ts: "1.0" };
  const ack = (): Promise<void> => Promise.resolve(void order.push("acknowledged"));
  const body = { type: "event_callback", event_id: "Ev1", team_id: "T1", event };
  await app.processEvent({ body, ack }).catch((error: Error) => order.push(error.message));
  return order;
}

it("acknowledges an event only after it was taken down", async () => {
  const order = await deliver(async (seen) => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push("taken down");
    return "go on";
  });
  expect(order).toEqual(["taken down", "acknowledged"]);
});

it("leaves an event unacknowledged when the store fails, so that Slack sends it again", async () => {
  expect(await deliver(() => Promise.reject(new Error("disk full")))).toEqual(["disk full"]);
});
