import type { Approval } from "#contract/approval.ts";
import type { ConversationSummary } from "#contract/conversation.ts";
import type { Health } from "#contract/core.ts";

import { sessionOf } from "../api/wire.ts";
import { actorLabel, type Identity } from "../identity.ts";
import { actingAs, html, type Html, icon, time } from "./html.ts";
import { healthLine } from "./panel.ts";

export interface PageParts {
  sessionId: string;
  title: string | undefined;
  identity: Identity;
  /** The rendered conversation list. */
  conversations: Html;
  /** Rendered turns, oldest first. */
  turns: Html[];
  /** What is allowed in it without asking, see grantList. */
  grants: Html | string;
  /** Earlier turns that are not shown. */
  earlier: number;
  examples: string[];
  health: Health;
  /** Stylesheets of the drawings, among the assets. */
  styles: readonly string[];
}

/** The whole page: conversations at the side, the thread and the composer. */
export function page(parts: PageParts): Html {
  const { sessionId, title, conversations, turns, health } = parts;
  return document(
    title === undefined ? "Countersign" : `${title} · Countersign`,
    html`
      <a class="skip" href="#message">Skip to the message box</a>
      <div class="app" data-session="${sessionId}">
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
          <nav class="conversations" id="conversations" aria-label="Conversations">${conversations}</nav>
          <div class="sidebar-foot">
            <button class="health" type="button" data-panel="open" aria-haspopup="dialog">
              <span id="health-line">${healthLine(health)}</span>
              ${icon("tools")}
            </button>
            ${parts.identity.mode === "token" && signedIn()}
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
            <h1 class="topbar-title" id="title">${title ?? "New conversation"}</h1>
            <button
              class="quiet-button"
              type="button"
              data-panel="open"
              aria-haspopup="dialog"
              aria-label="Tools &amp; health"
            >
              ${icon("tools")}<span>Tools &amp; health</span>
            </button>
          </header>
          <div class="scroll" id="scroll">
            <section class="thread" id="thread" aria-label="Messages">
              ${
                parts.earlier > 0 &&
                html`<a class="earlier" href="/?c=${encodeURIComponent(sessionId)}&all=1"
                  >Show ${parts.earlier} earlier</a
                >`
              }
              ${turns.length === 0 ? welcome(parts.examples) : turns}
            </section>
          </div>
          <section class="grants" id="grants" aria-label="Standing approvals">${parts.grants}</section>
          ${composer(parts.identity)}
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
      ${liveTemplate()}
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

function welcome(examples: string[]): Html {
  return html`<div class="welcome" id="welcome">
    <img src="/playground/assets/mark.svg" alt="" width="56" height="56" />
    <h2>What should we look into?</h2>
    <p>
      Ask in plain words. Looking things up happens at once;
      <strong>nothing changes until you countersign it</strong>.
    </p>
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
    <div class="composer-box">
      <label class="visually-hidden" for="message">Message</label>
      <textarea
        id="message"
        name="message"
        rows="1"
        placeholder="What do you need?"
        aria-describedby="composer-hint"
        autofocus
      ></textarea>
      <button class="send" type="submit" aria-label="Send">${icon("send")}</button>
    </div>
    <div class="composer-foot">
      ${actingAs(identity)}
      <p class="hint" id="composer-hint">
        <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> starts a new line
      </p>
    </div>
    <p class="composer-error" id="composer-error" role="alert" hidden></p>
  </form>`;
}

/** What a running turn shows; the script fills it. */
function liveTemplate(): Html {
  return html`<template id="live-template">
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

/** The list at the side: requests in conversations of others, then the own ones, most recently used first. */
export function conversationList(
  conversations: ConversationSummary[],
  waiting: Approval[],
  currentSession: string,
): Html {
  if (conversations.length === 0 && waiting.length === 0) {
    return html`<p class="conversations-none">Conversations appear here.</p>`;
  }
  const link = (to: string, title: string, at: number, waits: string, pending: number): Html => {
    const session = sessionOf(to);
    return html`<li>
      <a
        class="conversation"
        href="/?c=${encodeURIComponent(session)}"
        ${session === currentSession && html`aria-current="page"`}
      >
        <span class="conversation-title">${title}</span>
        <span class="conversation-meta">
          ${time(at)}${
            pending > 0 &&
            html`<span class="pending" title="${waits}"
              >${pending}<span class="visually-hidden"> to countersign</span></span
            >`
          }
        </span>
      </a>
    </li>`;
  };
  return html`<ul>
    ${waiting.map(({ conversationId, requestedBy, toolId, createdAt }) => {
      const title = `${actorLabel(requestedBy)}: ${toolId}`;
      return link(conversationId, title, createdAt, "Waits for your countersignature", 1);
    })}
    ${conversations.map(({ conversationId, title, lastAt, pending }) =>
      link(conversationId, title, lastAt, "Waits for a countersignature", pending),
    )}
  </ul>`;
}

/** Asks for the token once; works without script. */
export function signInPage(fault: string | undefined): Html {
  return document(
    "Sign in · Countersign",
    html`<main class="sign-in">
      <form class="sign-in-card" method="post" action="/session">
        <img src="/playground/assets/mark.svg" alt="" width="48" height="48" />
        <h1>Sign in to Countersign</h1>
        <p>Your token says who you are. Whoever runs this server gave it to you.</p>
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

const STYLES = ["tokens", "page", "thread", "approval", "card"].map((name) => `${name}.css`);

/** The frame of every page; `styles` are further stylesheets among the assets. */
function document(title: string, body: Html, styles: readonly string[] = []): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/playground/assets/mark.svg" type="image/svg+xml" />
        ${[...STYLES, ...styles].map(
          (name) => html`<link rel="stylesheet" href="/playground/assets/${name}" />`,
        )}
      </head>
      <body>
        <noscript
          ><p class="noscript">
            This page needs its script to send messages. The HTTP API works without it.
          </p></noscript
        >
        ${body}
      </body>
    </html>`;
}
