/** Where the issue of the tools' server comes from. */
export const SOURCE = "https://jira.example.com/browse/DEMO-1";

/** Words of data that become something where they are not escaped: on Slack, Discord, a page or a terminal. */
export const HOSTILE: readonly string[] = [
  "*bold* <!channel> @everyone [click](https://evil.example/a)",
  "<@U0ANA00000>",
  "<@200000000000000001>",
  "<https://evil.example/b|here>",
  "<img src=x onerror=alert(1)>",
  "\u001B]0;pwned\u0007\u001B[2Jcleared",
];

/** What of it people read, wherever it stands: control characters are for no eye. */
export const READABLE: readonly string[] = [...HOSTILE.slice(0, -1), "cleared"];
