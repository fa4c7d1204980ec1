import nock from "nock";
import { afterAll, beforeAll } from "vitest";

/** For the file or group that calls it: of requests beyond this machine only those are answered that a test prepares. */
export function onlyPreparedRequests(): void {
  beforeAll(() => {
    // The file before this one, in the same process, has ended its own.
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterAll(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });
}
