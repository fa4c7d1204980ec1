/** What teams call a piece of work. */
export const ISSUE_NOUNS: readonly string[] =
  "issue ticket bug story task incident alert problem card defect topic case request feature idea fault".split(
    " ",
  );
/** What they call something that is written down. */
export const PAGE_NOUNS: readonly string[] =
  "page doc document article guide runbook handbook wiki checklist adr retro retrospective".split(" ");

const PLAIN = "issue|ticket|bug|story|task";
/** As alternatives of a pattern: a piece of work by its plainest names, and what is written down. */
export const ISSUE: string = `(?:${PLAIN})`;
export const WORK: string = `(?:${PLAIN}|epic|incident)`;
export const PAGE: string = "(?:page|doc|document|article|guide|runbook|handbook|checklist)";
