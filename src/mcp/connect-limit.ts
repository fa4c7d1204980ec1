import { SdkErrorCode } from "@modelcontextprotocol/client";

import { CountersignError } from "../base/errors.ts";

/** The SDK's time limit starts with the handshake; this one counts the launch as well. */
export async function withLimit(
  work: Promise<void>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CountersignError(SdkErrorCode.RequestTimeout, `no connection within ${timeoutMs} ms`));
    }, timeoutMs);
    onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error("stopped"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}
