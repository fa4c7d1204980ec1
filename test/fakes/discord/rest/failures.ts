export interface Failure {
  /** What is answered instead; 0 cuts the connection. */
  status: number;
  /** The request has its effect, and only the answer is lost. Default false. */
  after?: boolean;
  /** Default 1. */
  times?: number;
}

export interface Failures {
  /** Lets the next requests of a route fail, as in `POST /channels/:id/messages`. */
  fail(route: string, failure: Failure): void;
  take(route: string): Failure | undefined;
}

export function createFailures(): Failures {
  const ordered: { route: string; failure: Failure; left: number }[] = [];
  return {
    fail: (route, failure) => void ordered.push({ route, failure, left: failure.times ?? 1 }),
    take(route) {
      const found = ordered.find((entry) => entry.route === route && entry.left > 0);
      if (found === undefined) return undefined;
      found.left -= 1;
      return found.failure;
    },
  };
}
