/**
 * An error answer of Jira: https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes
 * Most bodies are an ErrorCollection (`errorMessages`, and `errors` by field).
 */
export class Refusal extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Record<string, string>;

  constructor(status: number, body: object, headers: Record<string, string> = {}) {
    super(JSON.stringify(body));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export function refuse(
  status: number,
  errorMessages: string[],
  errors: Record<string, string> = {},
): Refusal {
  return new Refusal(status, { errorMessages, errors });
}

export const noIssue = (): Refusal =>
  refuse(404, ["Issue does not exist or you do not have permission to see it."]);

/** What Cloud says where it does not know who asks; it is no ErrorCollection. */
export const unknownCaller = (): Refusal =>
  new Refusal(
    401,
    { message: "Client must be authenticated to access this resource.", "status-code": 401 },
    { "www-authenticate": 'OAuth realm="http%3A%2F%2F127.0.0.1"' },
  );

/** https://developer.atlassian.com/cloud/jira/platform/rate-limiting/ */
export const tooMany = (seconds: number): Refusal =>
  new Refusal(
    429,
    { errorMessages: ["Rate limit exceeded."], errors: {} },
    { "retry-after": String(seconds), "x-ratelimit-remaining": "0" },
  );
