// @ts-check
import { followChanges } from "./changes.js";
import { part, showTimes } from "./dom.js";

const news = part(document, "#audit-news");

showTimes(document);

// What is read stays where it is: new entries are shown when the reader wants them.
void followChanges(Number(news.dataset.change), {
  changes: () => (news.hidden = false),
  health: () => undefined,
  line: () => undefined,
});
