import type { Health } from "#contract/core.ts";

import type { Identity } from "../identity.ts";
import { conversationDialogs, conversationMenu, conversationSearch, titleLine } from "./conversations.ts";
import { document, navigation, nothingHere } from "./frame.ts";
import { actingAs, html, type Html, icon } from "./html.ts";
import { healthLine, troubles } from "./panel.ts";

export interface PageParts {
  sessionId: string;
  title: string | undefined;
  identity: Identity;
  /** The rendered conversation list. */
  conversations: Html;
  /** Rendered turns, oldest first, or what stands in their place; nothing in a new conversation. */
  thread: Html | undefined;
  /** False where a link led nowhere: nothing can be said there. */
  isHere: boolean;
  /** What is allowed in it without asking, see grantList. */
  grants: Html | string;
  /** The change up to which the page is drawn. */
  change: number;
  examples: string[];
  /** Nothing of the team's own is connected, and this page may change that. */
  isDemo: boolean;
  health: Health;
  /** Stylesheets of the drawings, among the assets. */
  styles: readonly string[];
}

/** The whole page: conversations at the side, the thread and the composer. */
export function page(parts: PageParts): Html {
  const { sessionId, conversations, thread, health, isHere, identity } = parts;
  const title = parts.title && titleLine(parts.title);
  return document(
    title === undefined ? "Countersign" : `${title} · Countersign`,
    html`
      <a class="skip" href="${isHere ? "#message" : "#thread"}"
        >Skip to the ${isHere ? "message box" : "text"}</a
      >
      <div class="app" data-session="${sessionId}" data-change="${parts.change}">
        <aside class="sidebar" id="sidebar" aria-label="Conversations">
          <div class="brand">
            <img src="/playground/assets/mark.svg" alt="" width="28" height="28" />
            <span class="brand-name">Countersign</span>
            <button
              class="icon-button only-narrow"
              type="button"
              data-drawer="close"
              aria-label="Close the conversation list"
            >
              ${icon("close")}
            </button>
          </div>
          <a class="new" href="/">${icon("plus")}<span>New conversation</span></a>
          ${conversationSearch()}
          <nav class="conversations" id="conversations" aria-label="Conversations">${conversations}</nav>
          <div class="sidebar-foot">
            <div class="only-narrow">${navigation(identity)}</div>
            <button class="health" type="button" data-panel="open" aria-haspopup="dialog">
              <span id="health-line">${healthLine(health)}</span>
              ${icon("tools")}
            </button>
            ${identity.mode === "token" && signedIn()}
            <p class="version">Version ${health.version}</p>
          </div>
        </aside>
        <div class="scrim" data-drawer="close" hidden></div>
        <main class="main">
          <header class="topbar">
            <button
              class="icon-button only-narrow"
              type="button"
              data-drawer="open"
              aria-controls="sidebar"
              aria-expanded="false"
              aria-label="Conversations"
            >
              ${icon("menu")}
            </button>
            <h1 class="topbar-title" id="title">${title ?? (isHere ? "New conversation" : "Not found")}</h1>
            <div class="topbar-menu" id="topbar-menu" ${title === undefined && "hidden"}>
              ${conversationMenu()}
            </div>
            <span class="topbar-space"></span>
            <div class="only-wide">${navigation(identity)}</div>
            <button
              class="quiet-button"
              type="button"
              data-panel="open"
              aria-haspopup="dialog"
              aria-label="Tools &amp; health"
            >
              <i class="light" data-light aria-hidden="true"></i>${icon("tools")}<span
                >Tools &amp; health</span
              >
            </button>
          </header>
          <div class="trouble" id="trouble" role="status">${troubles(health)}</div>
          <div class="scroll" id="scroll">
            <section class="thread" id="thread" aria-label="Messages">${thread ?? welcome(parts)}</section>
            <button class="quiet-button newer" type="button" id="newer" hidden>New message below</button>
          </div>
          <section class="grants" id="grants" aria-label="Standing approvals">${parts.grants}</section>
          ${isHere && composer(identity)}
        </main>
      </div>
      <dialog class="panel" id="panel" aria-labelledby="panel-title">
        <div class="panel-head">
          <h2 id="panel-title">Tools and health</h2>
          <button class="icon-button" type="button" data-panel="close" aria-label="Close">
            ${icon("close")}
          </button>
        </div>
        <div class="panel-accounts" id="panel-accounts"></div>
        <div class="panel-body" id="panel-body" tabindex="-1"></div>
      </dialog>
      <p class="visually-hidden" id="announcer" role="status" aria-live="polite"></p>
      <p class="notice" id="notice" aria-hidden="true" hidden></p>
      ${conversationDialogs()} ${liveTemplate()}
      <script type="module" src="/playground/assets/app.js"></script>
    `,
    parts.styles,
  );
}

/** The script ends the session, or all of the person. */
function signedIn(): Html {
  return html`<p class="signed-in">
    <button class="quiet-button" type="button" data-sign-out="here">Sign out</button>
    <button class="quiet-button" type="button" data-sign-out="everywhere">Sign out everywhere</button>
  </p>`;
}

function welcome({ examples, isDemo }: Pick<PageParts, "examples" | "isDemo">): Html {
  return html`<div class="welcome" id="welcome">
    <img src="/playground/assets/mark.svg" alt="" width="56" height="56" />
    <h2>What should we look into?</h2>
    <p>
      Ask in plain words. Looking things up happens at once;
      <strong>nothing changes until a person approves it</strong>.
    </p>
    ${isDemo && html`<p>This is a demo with data of its own. <a href="/setup">Connect your team's tools</a></p>`}
    ${
      examples.length > 0 &&
      html`<ul class="suggestions" aria-label="Suggestions">
        ${examples.map(
          (example) =>
            html`<li>
              <button type="button" class="suggestion" data-action="prompt" data-value="${example}">
                ${example}
              </button>
            </li>`,
        )}
      </ul>`
    }
  </div>`;
}

function composer(identity: Identity): Html {
  return html`<form class="composer" id="composer" autocomplete="off">
    <div class="completion" id="completion" role="listbox" aria-label="Commands" hidden></div>
    <div class="composer-box">
      <label class="visually-hidden" for="message">Message</label>
      <textarea
        id="message"
        name="message"
        rows="1"
        placeholder="What do you need?"
        aria-autocomplete="list"
        aria-controls="completion"
        aria-describedby="composer-hint"
        autofocus
      ></textarea>
      <button class="send" type="submit" aria-label="Send">${icon("send")}</button>
    </div>
    <div class="composer-foot">
      ${actingAs(identity)}
      <p class="hint" id="composer-hint">
        <kbd>/</kbd> commands, <kbd>↑</kbd> last message, <kbd>Enter</kbd> sends, <kbd>Shift</kbd>
        <kbd>Enter</kbd> new line
      </p>
    </div>
    <p class="composer-error" id="composer-error" role="alert" hidden></p>
  </form>`;
}

/** What a running turn shows, and a page whose server is gone; the script fills it. */
function liveTemplate(): Html {
  return html`<template id="deleted-template"
      >${nothingHere(
        "This conversation was deleted",
        "Somebody who takes part in it, or an operator, has just deleted it.",
        html`<a class="cs-button cs-button--primary" href="/">Start a new conversation</a>`,
      )}</template
    >
    <template id="gone-line"
      ><span><span class="light light--bad"></span>Countersign does not answer</span></template
    >
    <template id="gone-template"
      ><ul>
        <li>
          <span class="light light--bad"></span
          ><span
            ><strong>Countersign does not answer.</strong> What you type stays here, and the page goes on by
            itself when it is back. Check that it is running, and your connection to it.</span
          >
        </li>
      </ul></template
    >
    <template id="live-template">
      <div class="live">
        <div class="live-line">
          <span class="spinner" aria-hidden="true"></span>
          <span class="live-phase" data-phase>Sending</span>
          <span class="live-seconds" data-seconds></span>
          <button class="quiet-button live-stop" type="button" data-action="stop" data-value="" hidden>
            ${icon("stop")}<span>Stop</span>
          </button>
        </div>
        <p class="live-detail" data-detail hidden></p>
        <div class="live-progress" data-progress hidden>
          <progress class="cs-bar" aria-label="Progress of the call"></progress><span data-amount></span>
        </div>
      </div>
    </template>
    <template id="turn-template">
      <article class="turn" data-turn="" data-state="queued">
        <div class="ask">
          <p class="ask-who"><span data-who></span></p>
          <div class="ask-text" data-text></div>
        </div>
        <div class="answer"></div>
      </article>
    </template>`;
}

/** Asks for the token once; works without script. */
export function signInPage(fault: string | undefined, next = "/"): Html {
  return document(
    "Sign in · Countersign",
    html`<main class="sign-in">
      <form class="sign-in-card" method="post" action="/session">
        <img src="/playground/assets/mark.svg" alt="" width="48" height="48" />
        <h1>Sign in to Countersign</h1>
        <p>Your token says who you are. Whoever runs this server gave it to you.</p>
        <input type="hidden" name="next" value="${next}" />
        <label for="token">Token</label>
        <input
          id="token"
          name="token"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          ${fault !== undefined && html`aria-invalid="true" aria-describedby="fault"`}
        />
        ${fault !== undefined && html`<p class="sign-in-fault" id="fault" role="alert">${fault}</p>`}
        <button class="cs-button cs-button--primary" type="submit">Sign in</button>
      </form>
    </main>`,
  );
}

/** Turns in the order given, with what leads to those before and after them. */
export function threadPart({
  turns,
  earlier,
  later,
}: {
  turns: Html[];
  earlier: number;
  later: number;
}): Html {
  return html`${
    earlier > 0 &&
    html`<p class="more" data-more="earlier">
      <button class="quiet-button" type="button" data-load="earlier">
        ${`Show earlier messages (${earlier})`}
      </button>
      <button class="quiet-button" type="button" data-load="start">Go to the start</button>
    </p>`
  }
  ${turns}
  ${
    later > 0 &&
    html`<p class="more" data-more="later">
      <button class="quiet-button" type="button" data-load="later">
        ${`Show later messages (${later})`}
      </button>
      <button class="quiet-button" type="button" data-load="end">Go to the newest</button>
    </p>`
  }`;
}
