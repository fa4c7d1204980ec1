// @ts-check

/**
 * What the page reads of an event's data; the HTTP API describes all of it.
 * @typedef {{ turn_id?: string, phase?: string, elapsed_ms?: number, message?: string, detail?: string,
 *   progress?: number, total?: number, question_id?: string, state?: string }} EventData
 * @typedef {{ event: string, id: string, data: EventData }} ServerEvent
 */

/**
 * Reads server-sent events from a response, as the HTML standard says to parse them. EventSource
 * cannot send a body, and tries again by itself where we want to decide.
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent>}
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
        const event = parse(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * @param {string} block
 * @returns {ServerEvent | undefined}
 */
function parse(block) {
  let event = "message";
  let id = "";
  const data = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const value = line.slice(colon + 1).replace(/^ /, "");
    const field = line.slice(0, colon);
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return undefined;
  return { event, id, data: /** @type {EventData} */ (JSON.parse(data.join("\n"))) };
}
