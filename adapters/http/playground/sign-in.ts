import { document } from "./document.ts";
import { html, type Html } from "./html.ts";

/** Asks for the token once; works without script. */
export function signInPage(fault: string | undefined): Html {
  return document({
    title: "Sign in · Countersign",
    body: html`<main class="sign-in">
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
          ${fault === undefined ? "" : html`aria-invalid="true" aria-describedby="fault"`}
        />
        ${fault === undefined ? "" : html`<p class="sign-in-fault" id="fault" role="alert">${fault}</p>`}
        <button class="cs-button cs-button--primary" type="submit">Sign in</button>
      </form>
    </main>`,
  });
}
