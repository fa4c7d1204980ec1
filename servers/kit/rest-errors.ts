import { ToolFailure } from "./failure.ts";

export interface FailedAnswer {
  service: string;
  method: string;
  path: string;
  status: number;
  text: string;
  retryAfterMs: number | undefined;
}

/** Turns an HTTP error answer into a message for people, with the service's own words in it. */
export function explainStatus(answer: FailedAnswer): ToolFailure {
  const { service, status } = answer;
  const words = wordsOf(answer.text);
  const said = words === "" ? "" : `: ${words}`;
  if (status >= 300 && status < 400) {
    return new ToolFailure(
      "unauthorized",
      `${service} sent the request to a login page (${status}): check the URL and the token`,
    );
  }
  switch (status) {
    case 400:
      return new ToolFailure(
        "bad_request",
        `${service} refused the request${said || " (400) without saying why"}`,
      );
    case 401:
      return new ToolFailure(
        "unauthorized",
        `${service} does not accept the credentials (401)${said}. Check the email and the token`,
      );
    case 403:
      return new ToolFailure(
        "forbidden",
        `${service} does not allow this to the account in use (403)${said}`,
      );
    case 404:
      return new ToolFailure(
        "not_found",
        `${service} has no such thing, or the account may not see it (404)${said}`,
      );
    case 409:
      return new ToolFailure(
        "conflict",
        `${service} reports a conflict (409)${said}. Read it again and repeat the change on what is there now`,
      );
    case 429:
      return new ToolFailure(
        "rate_limited",
        `${service} is limiting requests (429)${said}. ${whenAgain(answer.retryAfterMs)}`,
      );
    default:
      return new ToolFailure(
        "service_error",
        `${service} answered ${status} to ${answer.method} ${answer.path}${said}`,
      );
  }
}

function whenAgain(ms: number | undefined): string {
  return ms === undefined ? "Try again later" : `Try again in ${Math.ceil(ms / 1000)} s`;
}

/**
 * What the service said. Jira: `errorMessages` and `errors` by field; Confluence v2:
 * `errors: [{title, detail}]`; both: `message`.
 */
function wordsOf(text: string): string {
  const body = parse(text);
  if (body === undefined) return "";
  const said = [...strings(body.errorMessages), ...fieldErrors(body.errors), ...strings([body.message])];
  return [...new Set(said)].join("; ").slice(0, 1000);
}

function fieldErrors(errors: unknown): string[] {
  if (Array.isArray(errors)) {
    return errors.flatMap((error: unknown) => {
      if (!isObject(error)) return strings([error]);
      const [title, detail] = [error.title ?? error.message, error.detail].map((part) => strings([part])[0]);
      return title === undefined ? strings([detail]) : [detail === undefined ? title : `${title}: ${detail}`];
    });
  }
  if (!isObject(errors)) return [];
  return Object.entries(errors).map(([field, message]) => `${field}: ${String(message)}`);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function strings(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string" && item !== "")
    : [];
}
