import { html, type Html } from "./html.ts";

/** The frame of every page. */
export function document({
  title,
  body,
  styles = [],
}: {
  title: string;
  body: Html;
  /** Names of further stylesheets among the assets. */
  styles?: readonly string[];
}): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/playground/assets/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/playground/assets/tokens.css" />
        <link rel="stylesheet" href="/playground/assets/page.css" />
        <link rel="stylesheet" href="/playground/assets/beside.css" />
        <link rel="stylesheet" href="/playground/assets/thread.css" />
        <link rel="stylesheet" href="/playground/assets/approval.css" />
        <link rel="stylesheet" href="/playground/assets/card.css" />
        ${styles.map((name) => html`<link rel="stylesheet" href="/playground/assets/${name}" />`)}
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
