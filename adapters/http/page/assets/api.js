// @ts-check
import { actor, showActor } from "./actor.js";
import { showTimes } from "./dom.js";

/** An error of the server, or of the way to it, in words for a person. */
export class RequestError extends Error {
  /** @param {string} message @param {string} code @param {number} status */
  constructor(message, code, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** @param {unknown} error @returns {string} what a person is told */
export function describe(error) {
  return error instanceof RequestError
    ? error.message
    : "Something went wrong on this page. Reload it; nothing is lost.";
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
 * Posts a body, in which who acts is named.
 * @param {string} path @param {object} body @param {string} accept @param {string} method
 */
export function post(path, body = {}, accept = "application/json", method = "POST") {
  return request(path, {
    method,
    headers: { "content-type": "application/json", accept },
    // Without a name it is left out.
    body: JSON.stringify({ ...body, actor: actor() }),
  });
}

/** A path whose query names who looks. @param {string} path */
export function asActor(path) {
  const name = actor();
  if (name === undefined) return path;
  return `${path}${path.includes("?") ? "&" : "?"}actor=${encodeURIComponent(name)}`;
}

/** The session of the page's conversation. */
export const session = document.querySelector(".app")?.getAttribute("data-session") ?? "";

/** @param {string} path of markup, see `toFragment` */
export async function fragment(path) {
  return toFragment(await request(path, { headers: { accept: "text/html" } }));
}

/**
 * Markup that the server drew, as a part of the page. It comes from our own server, escaped there, and the content
 * security policy lets nothing in it run.
 * @param {Response} response @returns {Promise<DocumentFragment>}
 */
export async function toFragment(response) {
  const template = document.createElement("template");
  template.innerHTML = await response.text();
  showActor(template.content);
  showTimes(template.content);
  return template.content;
}

/**
 * What the page reads of an event's data; the HTTP API describes all of it.
 * @typedef {{ turn_id?: string, phase?: string, elapsed_ms?: number, message?: string, detail?: string,
 *   progress?: number, total?: number, question_id?: string, state?: string,
 *   changes?: Change[], is_complete?: boolean }} EventData
 * @typedef {{ kind: "turn" | "grants" | "renamed" | "deleted", session_id: string, turn_id?: string }} Change
 * @typedef {{ event: string, id: string, data: EventData }} ServerEvent
 */

/**
 * Reads server-sent events from a response, as the HTML standard says to parse them. EventSource
 * cannot send a body, and tries again by itself where we want to decide.
 * @param {Response} response @returns {AsyncGenerator<ServerEvent>}
 */
export async function* readEvents(response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} block @returns {ServerEvent | undefined} */
function parseEvent(block) {
  let event = "message";
  let id = "";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return undefined;
  return { event, id, data: /** @type {EventData} */ (JSON.parse(data.join("\n"))) };
}
