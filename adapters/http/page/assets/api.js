// @ts-check

/** An error of the server, or of the way to it, in words for a person. */
export class RequestError extends Error {
  /**
   * @param {string} message
   * @param {string} code
   * @param {number} status
   */
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [init]
 * @returns {Promise<Response>} an answer with a good status
 */
export async function request(path, init) {
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new RequestError("The server does not answer. Check that Countersign is running.", "offline", 0);
  }
  // A form that was refused comes back with what is wrong with it.
  if (response.ok || response.status === 422) return response;
  if (response.status === 401) {
    location.assign("/");
    throw new RequestError("Please sign in again.", "unauthorized", 401);
  }
  const body =
    /** @type {{ error?: { code: string, message: string }, outcome?: string, message?: string } | undefined} */ (
      await response.json().catch(() => undefined)
    );
  const message = body?.error?.message ?? body?.message ?? `The server answered ${response.status}.`;
  throw new RequestError(message, body?.error?.code ?? body?.outcome ?? "http", response.status);
}

/**
 * @param {string} path
 * @param {object} body
 * @param {string} accept
 */
export function post(path, body, accept = "application/json") {
  return request(path, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
  });
}

/**
 * Server-rendered markup as an element. It comes from our own server, escaped there, and the content
 * security policy lets nothing in it run.
 * @param {string} path
 * @returns {Promise<HTMLTemplateElement>}
 */
export async function fragment(path) {
  const response = await request(path, { headers: { accept: "text/html" } });
  return toTemplate(await response.text());
}

/**
 * @param {string} markup of our own server, see `fragment`
 * @returns {HTMLTemplateElement}
 */
export function toTemplate(markup) {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return template;
}
