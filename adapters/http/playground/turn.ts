import type { Approval } from "#contract/approval.ts";
import type { Cards } from "#contract/core.ts";
import type { PlannerName } from "#contract/plan.ts";
import type { Turn, TurnResult } from "#contract/turn.ts";

import { actorLabel } from "../actors.ts";
import type { Identity } from "../identity.ts";
import { renderMarkdown } from "../render/markdown.ts";
import { approvalBlock, markOf } from "./approval.ts";
import { type Drawing, shownIn } from "./drawings.ts";
import { hintFor } from "./hints.ts";
import { count, duration, html, type Html, icon, raw, time } from "./html.ts";
import { resultTabs } from "./result-tabs.ts";
import { runLog } from "./run-log.ts";

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
  identity: Identity,
  drawings: readonly Drawing[] = [],
): Html {
  const running = turn.state === "queued" || turn.state === "running";
  return html`<article
    class="turn"
    id="${turn.id}"
    data-turn="${turn.id}"
    data-state="${turn.state}"
    data-mark="${markOf(approvals)}"
  >
    <div class="ask">
      <p class="ask-who"><span>${actorLabel(turn.actor)}</span> ${time(turn.createdAt)}</p>
      <div class="ask-text">${turn.message}</div>
    </div>
    ${shownIn(
      turn.id,
      drawings,
      html`${turn.result === undefined || running ? "" : answer(turn.id, turn.result)}
      ${turn.error === undefined ? "" : fault(turn)}
      ${approvals.map((approval) => approvalBlock(approval, approvals, cards, identity))}
      ${turn.state === "stopped" ? stopped(turn) : ""}
      ${turn.result === undefined || running ? "" : footer(turn.result)}`,
    )}
  </article>`;
}

/** Replies end with this note for surfaces that have no badge; here the badge below says it. */
const BUILTIN_NOTE = /\n_Planned by the built-in planner[^_\n]*_$/;

function answer(turnId: string, result: TurnResult): Html {
  const reply =
    result.planner === "builtin" ? result.reply.trimEnd().replace(BUILTIN_NOTE, "").trimEnd() : result.reply;
  return html`${reply.trim() === "" ? "" : html`<div class="reply cs-text cs-markdown">${raw(renderMarkdown(reply).html)}</div>`}
  ${
    result.question === undefined
      ? ""
      : html`<p class="question">
            Needed for <code>${result.question.tool}</code>:
            ${result.question.fields.map((field) => html`<span class="cs-badge cs-tone-info">${field}</span> `)}
            <button type="button" class="cs-button" data-action="fill" data-value="${turnId}">Fill in</button>
          </p>
          <div data-fill-place></div>`
  }
  ${result.toolResults.length === 0 ? "" : resultTabs(turnId, result)}`;
}

/** Without a call there are no tabs, so the log is folded in here. */
function footer(result: TurnResult): Html {
  const { planner, timings, toolResults, log } = result;
  return html`${
      toolResults.length > 0 || log.length === 0
        ? ""
        : html`<details class="log-fold">
            <summary>Run log</summary>
            ${runLog(result)}
          </details>`
    }
    <p class="turn-foot">
      <span
        class="planner planner--${planner}"
        title="${planner === "builtin" ? "Planned without a model" : "What planned this turn"}"
        >${PLANNERS[planner]}</span
      >
      <span>${duration(timings.totalMs)}</span>
      ${toolResults.length === 0 ? "" : html`<span>${count(toolResults.length, "call")}</span>`}
    </p>`;
}

function fault(turn: Turn): Html | string {
  if (turn.error === undefined || turn.state === "stopped") return "";
  const { code, message } = turn.error;
  return html`<div class="fault" role="group" aria-label="Error">
    <p class="fault-message">${message}</p>
    <p class="fault-hint">${hintFor(code)}</p>
    <p class="fault-actions">
      <button type="button" class="cs-button" data-action="prompt" data-value="${turn.message}">
        Try again
      </button>
      <code>${code}</code>
    </p>
  </div>`;
}

function stopped(turn: Turn): Html {
  const who = turn.stoppedBy === undefined ? "" : ` by ${actorLabel(turn.stoppedBy)}`;
  return html`<p class="stopped">${icon("stop")} Stopped${who}</p>`;
}
