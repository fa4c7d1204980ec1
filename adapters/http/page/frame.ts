import type { Identity } from "../identity.ts";
import { actingAs, html, type Html, icon } from "./html.ts";

/** A page beside the conversations. */
interface Place {
  path: string;
  name: string;
  isFor: (identity: Identity) => boolean;
}

export function isOperator(identity: Identity): boolean {
  return identity.mode === "open" || identity.isOperator;
}

/** In the order of the header. */
const PLACES: readonly Place[] = [
  { path: "/approvals", name: "Approvals", isFor: () => true },
  { path: "/audit", name: "Audit", isFor: isOperator },
];

/** Links to the pages that are for the viewer; empty where there are none. */
export function navigation(identity: Identity, current?: string): Html | string {
  const places = PLACES.filter(({ isFor }) => isFor(identity));
  if (places.length === 0) return "";
  return html`<nav class="places" aria-label="Pages">
    ${places.map(
      ({ path, name }) =>
        html`<a class="quiet-button" href="${path}" ${path === current && html`aria-current="page"`}
          ><span>${name}</span></a
        >`,
    )}
  </nav>`;
}

const STYLES = ["tokens", "page", "thread", "approval", "card", "conversations"].map((name) => `${name}.css`);

/** The frame of every page; `styles` are further stylesheets among the assets. */
export function document(title: string, body: Html, styles: readonly string[] = []): Html {
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

/** A page beside the conversations, with the way back to them. `script` is a module among the assets. */
export function placePage(
  path: string,
  title: string,
  parts: { identity: Identity; body: Html; script?: string; styles?: readonly string[] },
): Html {
  const { identity, body, script, styles } = parts;
  return document(
    `${title} · Countersign`,
    html`<div class="place">
        <header class="topbar">
          <a class="place-home" href="/">
            <img src="/playground/assets/mark.svg" alt="" width="24" height="24" />
            <span>Conversations</span>
          </a>
          <h1 class="topbar-title">${title}</h1>
          <span class="topbar-space"></span>
          ${identity.mode === "token" && actingAs(identity)} ${navigation(identity, path)}
        </header>
        <main class="place-body">${body}</main>
      </div>
      <p class="visually-hidden" id="announcer" role="status" aria-live="polite"></p>
      ${script !== undefined && html`<script type="module" src="/playground/assets/${script}"></script>`}`,
    styles,
  );
}

/** What an address led to that is not there: what was looked for, and where to go. */
export function nothingHere(what: string, why: string, ways: Html): Html {
  return html`<div class="nothing" role="status">
    ${icon("search")}
    <h2>${what}</h2>
    <p>${why}</p>
    <p class="nothing-ways">${ways}</p>
  </div>`;
}

/** Whether a browser asks, which names HTML first. */
export function prefersPage(accept: string | undefined): boolean {
  return accept?.trim().toLowerCase().startsWith("text/html") === true;
}

/** For an address that is no page at all. */
export function noPage(path: string): Html {
  return document(
    "Not found · Countersign",
    html`<main class="place">
      <h1 class="visually-hidden">Not found</h1>
      ${nothingHere(
        "There is no page here",
        `The address ends in “${path.length > 80 ? `${path.slice(0, 80)}…` : path}”. Part of it may be missing.`,
        html`<a class="cs-button cs-button--primary" href="/">Go to the conversations</a>`,
      )}
    </main>`,
  );
}
