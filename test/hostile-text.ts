import { renderCard as renderDiscord } from "#adapters/discord/render/card.ts";
import { renderCardTerminal } from "#adapters/console/render/terminal.ts";
import { renderCardHtml } from "#adapters/http/page/render/html.ts";
import { renderCard as renderSlack } from "#adapters/slack/render/card.ts";
import type { Card } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import { inMarkdown } from "#src/turn/replies.ts";
import { genericView } from "#views/generic/view.ts";

/** What begins something in Markdown, HTML or a chat platform's markup; a text repeats one of them. */
export const openers: readonly string[] = [
  ...String.raw`[ ] ( ) < > ! & * _ ~ # | - + \ " ' = : @ { } $ ^ ? . , ; ** __ ~~ 1 a é 😀`.split(" "),
  ...String.raw`![ [[ []( [a]( [a](b [a][b] ]( ![a]( [^a] [\ \[ |a |- -| &# &a; _a a_ *a a* **a a** ~~a`.split(
    " ",
  ),
  ...`<a> </ <!-- <![CDATA[ <? <https: <@ <#1 <:a: a@ a@b. www. http://a {"a":[`.split(" "),
  " ",
  "\t",
  "\n",
  "\r",
  "`",
  "``",
  "```",
  "`a",
  "``a`",
  "> ",
  "- ",
  "* ",
  "+ ",
  "1. ",
  "1) ",
  "# ",
  "| ",
  "[a]: ",
  "[x] ",
  "- [ ] ",
  "**a *b ",
  "*a _b ",
  "<a ",
  '<a b="',
  "[a]: b\n",
  "\n> ",
  "\n- ",
  "\n  - ",
  "- a\n",
  "* a\n\n",
  "a\n",
  "a\n=",
  "1\n",
  "`\n",
  "```\n",
  "~~~\n",
  "|a|\n|-|\n",
  "a|b\n-|-\n",
  "\n\n",
  "\n    a",
  "  ",
  "a ",
  ..."é* *日本 [é]( 日本[ 😀` `é _本_ <é éé@b. ü: ا[ ก(".split(" "),
  "é ",
  "日本語 ",
  "- 日本\n",
  "\n> é",
  "1. é\n",
  "|日|\n|-|\n",
  "# é\n",
  "e\u0301",
  "\u0301",
  "👩‍👩‍👧",
  "\u202e",
  "\ud800",
  "\u0001",
];

/** A text of a length out of repetitions of an opener. */
export function repeated(opener: string, length: number): string {
  return opener.repeat(Math.ceil(length / opener.length)).slice(0, length);
}

function read(data: JsonValue): ViewInput {
  return { toolId: "s.read", server: "s", name: "read", args: {}, ok: true, data };
}

function markdownCard(text: string): Card {
  return {
    kind: "answer",
    title: "Answer",
    elements: [{ type: "text", text, format: "markdown", folded: true }],
  };
}

/** Every way from a text to what people see: how many characters came of it. */
export const surfaces: Readonly<Record<string, (text: string) => number>> = {
  view: (text) => JSON.stringify(genericView(read(text)).card).length,
  "view of data": (text) => JSON.stringify(genericView(read({ id: 1, summary: text })).card).length,
  // Of what is folded a message shows the beginning; the window has all of it.
  slack: (text) => JSON.stringify(renderSlack(markdownCard(text), { ref: "r" }).blocks).length,
  "slack, unfolded": (text) =>
    JSON.stringify(renderSlack(markdownCard(text), { ref: "r", unfold: true }).blocks).length,
  discord: (text) => JSON.stringify(renderDiscord(markdownCard(text), { ref: "r" }).parts).length,
  "discord, unfolded": (text) =>
    JSON.stringify(renderDiscord(markdownCard(text), { ref: "r", unfold: true }).parts).length,
  page: (text) => renderCardHtml(markdownCard(text)).length,
  terminal: (text) => renderCardTerminal(markdownCard(text), { width: 80, color: true }).length,
  "terminal, folded": (text) =>
    renderCardTerminal(markdownCard(text), { width: 80, color: false, more: "/show 1" }).length,
  "words of a reply": (text) => inMarkdown(text).length,
};
