import nock from "nock";

/** From here on only the answers that a test prepares are given. */
export function beginService(): void {
  // The file before this one, in the same process, may have ended its own.
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
}

/** Fails when a request that the test prepared for was never made. */
export function endService(): void {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  nock.enableNetConnect();
  if (pending.length > 0) throw new Error(`expected requests were not made: ${pending.join(", ")}`);
}
