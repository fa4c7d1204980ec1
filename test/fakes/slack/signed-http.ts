import { createHmac } from "node:crypto";

import type { Clock } from "./clock.ts";
import type { Outcome, Outgoing, Transport } from "./delivery.ts";
import { isFields } from "./json.ts";
import type { Fields } from "./types.ts";

export interface SignedHttp extends Transport {
  /** Where payloads go, in turn when there are several; undefined while nothing listens. */
  urls: string[];
}

/** `X-Slack-Signature`: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function signature(secret: string, timestamp: number, body: string): string {
  return `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;
}

export function createSignedHttp(clock: Clock, ackMs: number, secret: string): SignedHttp {
  const urls: string[] = [];
  let next = 0;
  return {
    urls,
    async send(outgoing, retry, reason) {
      next += 1;
      const url = urls[next % urls.length];
      if (url === undefined) return { ok: false, reason: "connection_failed" };
      const { body, type } = encode(outgoing);
      const timestamp = Math.floor(clock.now() / 1000);
      const late = new AbortController();
      const cancel = clock.after(ackMs, () => late.abort());
      try {
        const response = await fetch(url, {
          method: "POST",
          body,
          signal: late.signal,
          headers: {
            "content-type": type,
            "x-slack-request-timestamp": String(timestamp),
            "x-slack-signature": signature(secret, timestamp, body),
            ...(retry === 0
              ? {}
              : { "x-slack-retry-num": String(retry), "x-slack-retry-reason": reason ?? "unknown_error" }),
          },
        });
        const text = await response.text();
        if (response.ok) return { ok: true, response: decode(text) };
        return {
          ok: false,
          reason: "http_error",
          noRetry: response.headers.get("x-slack-no-retry") === "1",
        } satisfies Outcome;
      } catch {
        return { ok: false, reason: late.signal.aborted ? "http_timeout" : "connection_failed" };
      } finally {
        cancel();
      }
    },
  };
}

function encode({ kind, payload }: Outgoing): { body: string; type: string } {
  const form = "application/x-www-form-urlencoded";
  switch (kind) {
    case "events_api":
      return { body: JSON.stringify(payload), type: "application/json" };
    case "interactive":
      return { body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), type: form };
    case "slash_commands": {
      const fields = Object.entries(payload).map<[string, string]>(([key, value]) => [key, String(value)]);
      return { body: new URLSearchParams(fields).toString(), type: form };
    }
    default:
      return kind satisfies never;
  }
}

function decode(text: string): Fields | string | undefined {
  if (text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : text;
  } catch {
    return text;
  }
}
