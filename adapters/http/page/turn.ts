import type { Approval } from "#contract/approval.ts";
import type { Cards } from "#contract/core.ts";
import type { Rating } from "#contract/feedback.ts";
import type { PlannerName } from "#contract/plan.ts";
import type { Turn, TurnResult } from "#contract/turn.ts";
import { plural } from "#src/base/text.ts";
import { durationText } from "#src/base/time.ts";

import { ownReply } from "../../document/reply.ts";
import { actorLabel } from "../identity.ts";
import { approvalBlocks, versionOf, type Viewing } from "./approval.ts";
import { type Drawing, withDrawings } from "./drawings.ts";
import { fillPath } from "./forms.ts";
import { titleLine } from "./conversations.ts";
import { button, html, type Html, icon, raw, time } from "./html.ts";
import { nextRow } from "./next.ts";
import { renderMarkdown } from "./render/markdown.ts";
import { folded, resultViews, runLog, viewId, viewNames } from "./results.ts";

const PLANNERS: Record<PlannerName, string> = {
  ollama: "Ollama",
  gemini: "Gemini",
  openai: "OpenAI",
  builtin: "Built-in planner",
  command: "Command",
};

/** One turn: what was asked, and what came of it so far. */
export function turnArticle(
  turn: Turn,
  approvals: Approval[],
  cards: Cards,
  identity: Viewing,
  drawings: readonly Drawing[] = [],
  rated?: Rating["verdict"],
): Html {
  const { id, state } = turn;
  const result = state === "queued" || state === "running" ? undefined : turn.result;
  // What was found stands there while a model takes its time over what it says of it.
  const found = state === "running" && approvals.length === 0 ? (turn.result?.toolResults ?? []) : [];
  // What somebody has to decide goes before what was looked up for it.
  const isWaiting = approvals.some(({ state: asked }) => asked === "pending" || asked === "unknown");
  const requests = approvalBlocks(approvals, cards, identity);
  return html`<article
    class="turn"
    id="${id}"
    data-turn="${id}"
    data-state="${state}"
    data-mark="${versionOf(approvals)}"
    aria-label="${actorLabel(turn.actor)}: ${titleLine(turn.message)}"
  >
    <div class="ask">
      <p class="ask-who"><span>${actorLabel(turn.actor)}</span> ${time(turn.createdAt)}</p>
      <div class="ask-text">${turn.message}</div>
    </div>
    ${withDrawings(
      id,
      drawings,
      html`${isWaiting && result?.remarks && said(result.remarks)} ${isWaiting && requests}
      ${result && answer(id, result, isWaiting)}
      ${found.length > 0 && turn.result && html`<div data-found>${resultViews(id, turn.result)}</div>`}
      ${state !== "stopped" && turn.error && fault(turn.message, turn.error)} ${!isWaiting && requests}
      ${state === "stopped" && stopped(turn)} ${result && footer(turn, result, rated)}`,
    )}
  </article>`;
}

function answer(turnId: string, result: TurnResult, isWaiting: boolean): Html {
  const { question, choices = [], next = [], toolResults } = result;
  const asks = question !== undefined || choices.length > 0;
  // What waits for somebody says so itself.
  const reply = result.pendingConfirmation === undefined ? ownReply(result, toolResults) : "";
  return html`${reply !== "" && said(reply)}
  ${
    asks &&
    html`<p class="asked">
        ${question && button("fill", "Fill in", { value: fillPath(turnId), style: "primary" })}
        ${choices.map(({ title }, at) => button("fill", title, { value: fillPath(turnId, { choice: at }) }))}
      </p>
      <div data-fill-place></div>`
  }
  ${toolResults.length > 0 && lookedUp(result, isWaiting, resultViews(turnId, result))}
  ${nextRow(turnId, next, asks)}`;
}

function said(markdown: string): Html {
  return html`<div class="reply cs-text cs-markdown">${raw(renderMarkdown(markdown))}</div>`;
}

/** What was only looked up for a request that waits is folded below it. */
function lookedUp({ toolResults }: TurnResult, isWaiting: boolean, shown: Html): Html {
  const isOnlyRead = toolResults.every(
    ({ ok, card }) => ok && card.elements.every(({ type }) => type !== "changes"),
  );
  return isWaiting && isOnlyRead ? folded(toolResults, shown) : shown;
}

/** What to do with the answer, and how it came about. Without a call there is no result, so the log stands here. */
function footer({ id, state }: Turn, result: TurnResult, rated: Rating["verdict"] | undefined): Html {
  const isLogAlone = result.toolResults.length === 0 && result.log.length > 0;
  return html`${
      isLogAlone &&
      html`<section class="log-alone" id="${viewId(id, "Run log")}" aria-label="Run log" hidden>
        ${runLog(result)}
      </section>`
    }
    <div class="turn-foot">
      ${state === "done" && thumbs(id, rated)}
      <button class="link-button" type="button" data-copy-answer>${icon("copy")} Copy answer</button>
      <button class="link-button" type="button" data-copy-link>
        ${icon("link")}<span class="with-pointer">Copy link</span><span class="with-touch">Share</span>
      </button>
      ${moreMenu(id, result)}
    </div>`;
}

/** What few people look at: the ways to see the result, and who planned it in which time. */
function moreMenu(turnId: string, result: TurnResult): Html {
  const { planner, timings, toolResults } = result;
  const names = viewNames(result);
  const calls = toolResults.length;
  const menuId = `${turnId}-more`;
  return html`<button
      class="link-button turn-more"
      type="button"
      popovertarget="${menuId}"
      aria-label="More about this answer"
      title="More"
    >
      ${icon("more")}
    </button>
    <div class="menu menu--turn" id="${menuId}" popover role="group" aria-label="More about this answer">
      ${names.map(
        (name, index) =>
          html`<button
            type="button"
            class="menu-item"
            id="${viewId(turnId, name)}-item"
            data-shows="${viewId(turnId, name)}"
            aria-pressed="${String(index === 0 && calls > 0)}"
          >
            ${name}
          </button>`,
      )}
      <p class="menu-facts">
        <span class="planner">${PLANNERS[planner]}</span> ·
        ${durationText(timings.totalMs)}${calls > 0 && ` · ${plural(calls, "call")}`}
      </p>
    </div>`;
}

/** What the reader thinks of the answer; a thumb down asks what should have come. */
function thumbs(turnId: string, rated: Rating["verdict"] | undefined): Html {
  const thumb = (verdict: string, sign: "up" | "down", label: string): Html =>
    html`<button
      type="button"
      class="link-button thumb"
      data-rate="${verdict}"
      aria-pressed="${String(verdict === rated)}"
      aria-label="${label}"
      title="${label}"
    >
      ${icon(sign)}
    </button>`;
  return html`<form class="thumbs" data-rated="/agent/turns/${turnId}/feedback">
    ${thumb("good", "up", "Helpful")} ${thumb("bad", "down", "Not helpful")}
    <span class="thumb-why" data-why hidden>
      <input
        name="words"
        maxlength="2000"
        aria-label="What should have come?"
        placeholder="What should have come?"
      />
      <button type="submit" class="cs-button">Send</button>
    </span>
    <span role="status"></span>
  </form>`;
}

function fault(asked: string, { code, message }: { code: string; message: string }): Html {
  return html`<div class="fault" role="group" aria-label="Error">
    <p class="fault-message">${message}</p>
    <p class="fault-hint">${HINTS.get(code) ?? OTHER_HINT}</p>
    <p class="fault-actions">${button("prompt", "Try again", { value: asked })} <code>${code}</code></p>
  </div>`;
}

function stopped({ stoppedBy }: Turn): Html {
  return html`<p class="stopped">
    ${icon("stop")} Stopped${stoppedBy !== undefined && ` by ${actorLabel(stoppedBy)}`}
  </p>`;
}

/** What a person can do about an error, in one sentence. */
const HINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    model_unreachable:
      "Check that the model's server runs, or set model.provider to builtin in the configuration.",
    model_timeout: "The model took too long. Try again, use a smaller model, or raise its timeout.",
    model_not_found: "Pull the model first (ollama pull NAME), or name another one in the configuration.",
    model_failed: "The model's server reported an error. Its own log says more; try again.",
    plan_invalid: "The plan could not be used. Try rephrasing, and name the issue, page or project.",
    server_down: "The server behind this tool is down; it is tried again on its own. See Tools & health.",
    timeout: "The tool took too long. Try again, or ask for less at once.",
    transport: "The connection to the tool's server broke. It is tried again on its own; then ask again.",
    store_full: "The disk is full. Free some space; nothing that was accepted is lost.",
    store_lost: "The store is not in its place. Whoever runs Countersign has to put it back and start again.",
    store_damaged: "The store is damaged. Whoever runs Countersign has to restore a backup.",
    store_unreachable: "The database does not answer. Nothing is lost; try again when it is back.",
    not_ready: "The server is still starting. Try again in a few seconds.",
  }),
);

const OTHER_HINT = "Try again, or try rephrasing. The run log and the server's log say more.";
