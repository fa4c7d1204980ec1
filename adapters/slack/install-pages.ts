export interface PageOptions {
  title: string;
  text: string;
  link?: { href: string; text: string };
}

/** Where an installation begins; the link leads to Slack, which asks for consent. */
export function installPage(url: string): string {
  return page({
    title: "Add Countersign to Slack",
    text: "Slack shows what the app may do, and asks for your consent.",
    link: { href: url, text: "Add to Slack" },
  });
}

/** What came of it. */
export function resultPage(options: PageOptions): string {
  return page(options);
}

function page({ title, text, link }: PageOptions): string {
  const anchor = link === undefined ? "" : `\n<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>${anchor}
</main>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
a { display: inline-block; padding: 0.6rem 1rem; border-radius: 0.4rem; background: #1f3a5f; color: #fff; text-decoration: none; }
a:focus-visible { outline: 3px solid #7aa7e0; outline-offset: 2px; }
`;

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
