import { accountHeader } from "#test/fakes/auth-server.ts";

/** Follows the link as a browser that is signed in there, to the page that the product shows at the end. */
export async function follow(link: string, account: string): Promise<{ callback: URL; page: string }> {
  const cookies = new Map<string, string>();
  for (let url = new URL(link), hops = 0; hops < 10; hops += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { [accountHeader]: account, cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { callback: url, page: await response.text() };
    url = new URL(location, url);
  }
  throw new Error("the browser was sent from page to page");
}

/** Presses the button of the page at the end. */
export function press(product: { url: string }, callback: URL, headers = {}): Promise<Response> {
  return fetch(`${product.url}/oauth/callback`, { method: "POST", body: callback.searchParams, headers });
}

/** Follows the link to its end; the account is connected then. */
export async function connectAt(product: { url: string }, link: string, account: string): Promise<void> {
  const { callback } = await follow(link, account);
  const response = await press(product, callback);
  if (!response.ok) throw new Error(`expected to be connected, got: ${await response.text()}`);
}
