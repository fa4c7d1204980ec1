import { getConnInfo } from "@hono/node-server/conninfo";
import type { Context, Hono } from "hono";

import type { SetupLine, SetupPage, SetupQuestion, SetupState } from "#contract/setup.ts";

import { ApiError } from "../errors.ts";
import { isLoopbackHost } from "../guard.ts";
import { type HttpEnv, requiredIdentity } from "../identity.ts";
import { placePage } from "./frame.ts";
import { fragment, html, type Html } from "./html.ts";

const PATH = "/setup";
/** Most of what is tried takes less: the page then comes with the next question. */
const WAIT_MS = 1_500;
/** Else it looks again so soon, in seconds. */
const LOOK_SECONDS = 1;

/** The set-up as a page without a script: each question is a form, and each answer leads to the next. */
export function addSetupRoutes(app: Hono<HttpEnv>, setup: SetupPage): void {
  app.get(PATH, async (c) => {
    requireThisMachine(c);
    const state = await setup.state(WAIT_MS);
    // An address that differs in nothing but its fragment would not be asked for.
    const next = `${PATH}?at=${Date.now()}#now`;
    if (state.phase === "running" && state.question === undefined)
      c.header("refresh", `${LOOK_SECONDS}; url=${next}`);
    const body = setupBody(state);
    return fragment(
      c,
      placePage(PATH, "Set up", { identity: requiredIdentity(c), body, styles: ["setup.css"] }),
    );
  });

  // Another page can send a form here, but knows no key; the guard has looked at its origin before.
  app.post(PATH, async (c) => {
    requireThisMachine(c);
    const form = new URLSearchParams(await c.req.text());
    const key = form.get("key") ?? "";
    if (form.get("begin") === null) setup.answer(key, form.getAll("answer"));
    else setup.begin(key);
    // What is of an earlier state changed nothing: the page shows where it stands.
    return c.redirect(`${PATH}#now`, 303);
  });
}

/** Which of these a proxy sends is up to how it is set up. */
const PASSED_ON = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-real-ip",
  "cf-connecting-ip",
];

/** A proxy on this machine may pass on what comes from elsewhere: it says so. */
function requireThisMachine(c: Context<HttpEnv>): void {
  const { address = "" } = getConnInfo(c).remote;
  const isHere = isLoopbackHost(address.replace(/^::ffff:/, ""));
  const isPassedOn = PASSED_ON.some((name) => c.req.header(name) !== undefined);
  if (requiredIdentity(c).mode === "open" && isHere && !isPassedOn) return;
  throw new ApiError(403, "forbidden", "The set-up is for this machine alone; elsewhere: npm run setup");
}

function setupBody({ lines, question, working, fault, phase, key }: SetupState): Html {
  const steps = stepsOf(lines);
  const current = steps.at(-1);
  return html`<div class="setup">
    ${phase === "ready" && intro()}
    ${steps.slice(0, -1).map(
      ([title, ...rest]) =>
        html`<details class="setup-done">
          <summary>${title?.text}</summary>
          ${linesHtml(rest)}
        </details>`,
    )}
    ${current !== undefined && html`<section class="setup-lines" aria-label="This step">${linesHtml(current)}</section>`}
    <div id="now">
      ${question !== undefined && questionForm(question, key, fault)}
      ${
        phase === "running" &&
        question === undefined &&
        html`<p class="setup-working" role="status">${working ?? "One moment"} …</p>`
      }
      ${phase !== "running" && beginForm(key, phase === "ready" ? "Begin" : "Go through it again")}
    </div>
    ${
      phase === "running" &&
      html`<details class="setup-done">
        <summary>Something went wrong?</summary>
        ${beginForm(key, "Begin again")}
      </details>`
    }
  </div>`;
}

/** Each begins with the line that names it. */
function stepsOf(lines: readonly SetupLine[]): SetupLine[][] {
  const steps: SetupLine[][] = [];
  for (const line of lines) {
    const last = steps.at(-1);
    if (line.kind === "step" || last === undefined) steps.push([line]);
    else last.push(line);
  }
  return steps;
}

function intro(): Html {
  return html`<p>
      This connects Countersign with your team's own Jira, Confluence, Slack and Discord, chooses a model, and
      asks who approves changes. It takes about ten minutes, and each part can be left out.
    </p>
    <p>
      Every address and token is tried before it is written, and you see what will be written before it is.
      Tokens go into a file of this machine that only its owner can read. The same in a terminal:
      <code>npm run setup</code>.
    </p>`;
}

function beginForm(key: string, words: string): Html {
  return html`<form method="post" action="${PATH}">
    <input type="hidden" name="key" value="${key}" />
    <button class="cs-button cs-button--primary" name="begin" value="1">${words}</button>
  </form>`;
}

/** Lines of a file that follow one another are one block. */
function linesHtml(lines: readonly SetupLine[]): Html[] {
  const drawn: Html[] = [];
  let change: string[] = [];
  for (const line of [...lines, undefined]) {
    if (line?.kind === "change") {
      change.push(line.text);
      continue;
    }
    if (change.length > 0) drawn.push(html`<pre class="setup-change">${change.join("\n")}</pre>`);
    change = [];
    if (line !== undefined) drawn.push(lineHtml(line));
  }
  return drawn;
}

function lineHtml({ kind, text, answer, url }: SetupLine): Html {
  if (kind === "step") return html`<h2>${text}</h2>`;
  const link =
    url !== undefined && html` <a href="${url}" target="_blank" rel="noopener noreferrer">Open it</a>`;
  return html`<p class="setup-${kind}">
    ${text} ${answer !== undefined && html`<strong>${answer}</strong>`}${link}
  </p>`;
}

function questionForm(question: SetupQuestion, key: string, fault: string | undefined): Html {
  return html`<form class="setup-question" method="post" action="${PATH}" autocomplete="off" id="question">
    <input type="hidden" name="key" value="${key}" />
    ${
      question.kind === "choice" || question.kind === "choices"
        ? html`<fieldset>
            <legend>${question.title}</legend>
            ${helpOf(question)} ${optionsOf(question)}
          </fieldset>`
        : html`<div class="edit-field">
            <label for="answer">${question.title}</label>
            ${helpOf(question)}
            <input
              id="answer"
              name="answer"
              type="${question.kind === "secret" ? "password" : "text"}"
              maxlength="4000"
              spellcheck="false"
              autocomplete="off"
              autofocus
              ${question.kind === "text" && question.initial !== undefined && html`value="${question.initial}"`}
              ${question.kind === "text" && question.placeholder !== undefined && html`placeholder="${question.placeholder}"`}
              ${question.kind === "secret" && question.isSet && html`placeholder="leave it empty to keep the one that is there"`}
              ${fault !== undefined && html`aria-invalid="true" aria-describedby="fault"`}
            />
          </div>`
    }
    ${fault !== undefined && html`<p class="setup-bad" id="fault" role="alert">${fault}</p>`}
    <button class="cs-button cs-button--primary">Go on</button>
  </form>`;
}

function helpOf({ help }: SetupQuestion): Html | false {
  return help !== undefined && html`<p class="setup-help">${help}</p>`;
}

function optionsOf(question: Extract<SetupQuestion, { options: unknown }>): Html {
  const type = question.kind === "choice" ? "radio" : "checkbox";
  return html`<div class="setup-options">
    ${question.options.map(
      ({ value, label, hint }) =>
        html`<label
          ><input
            type="${type}"
            name="answer"
            value="${value}"
            ${question.initial.includes(value) && (question.kind === "choices" || question.initial === value) && html`checked`}
          /><span>${label}${hint !== undefined && html` <small>${hint}</small>`}</span></label
        >`,
    )}
  </div>`;
}
