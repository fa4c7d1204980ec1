export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Makes of a fetch one over which a call is sent once, whatever redirect answers it. */
export type Redirects = (fetch: Fetch) => Fetch;

/**
 * The SDK follows a redirect within the origin and sends what it had sent there again: a server that makes a
 * change and answers 307 would be asked for it six times. So no call is sent on. Servers are redirected for good
 * reasons as well, as from `/mcp` to `/mcp/`: where the handshake, or anything else that is harmless to repeat,
 * was led to is where the calls go.
 */
export function createRedirects(address: string): Redirects {
  const configured = new URL(address).href;
  /** Where the last redirect of the configured address led, and where following one ended well. */
  let named: string | undefined;
  let moved: string | undefined;

  return (fetch) => async (url, init) => {
    const asked = new URL(url).href;
    const target = asked === configured ? (moved ?? asked) : asked;
    const response = await fetch(target, { ...init, redirect: "manual" });
    const location = locationOf(response, target);
    if (location === undefined) {
      if (asked === named && response.ok) moved = named;
      // It may be back where it was configured.
      if (target === moved && (response.status === 404 || response.status === 410)) moved = undefined;
      return response;
    }
    if (asked === configured) {
      named = location.href;
      moved = undefined;
    }
    return isCall(init) ? await unfollowed(response, location) : response;
  };
}

/** As the SDK writes it. What else it says of `method` is in a text, where quotes are escaped. */
function isCall(init: RequestInit | undefined): boolean {
  return typeof init?.body === "string" && init.body.includes('"method":"tools/call"');
}

function locationOf({ status, headers }: Response, from: string): URL | undefined {
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  return location === null ? undefined : (URL.parse(location, from) ?? undefined);
}

async function unfollowed(response: Response, to: URL): Promise<Response> {
  await response.text().catch(() => {});
  to.username = to.password = to.search = to.hash = "";
  const why = `a call is sent to one address only and not on to ${to.href}; if that is the server, use it as its url`;
  return new Response(why, { status: response.status });
}
