/** What a person can do about an error, in one sentence. */
const HINTS: ReadonlyMap<string, string> = new Map([
  [
    "model_unreachable",
    "Check that the model's server runs, or set model.provider to builtin in the configuration.",
  ],
  ["model_timeout", "The model took too long. Try again, use a smaller model, or raise its timeout."],
  ["model_not_found", "Pull the model first (ollama pull NAME), or name another one in the configuration."],
  ["model_failed", "The model's server reported an error. Its own log says more; try again."],
  ["plan_invalid", "The plan could not be used. Say it in other words, and name the issue, page or project."],
  ["server_down", "The server behind this tool is down; it is tried again on its own. See Tools & health."],
  ["timeout", "The tool took too long. Try again, or ask for less at once."],
  ["transport", "The connection to the tool's server broke. It is tried again on its own; then ask again."],
  ["store_full", "The disk is full. Free some space; nothing that was accepted is lost."],
  [
    "store_lost",
    "The store is not in its place. Whoever runs Countersign has to put it back and start again.",
  ],
  ["store_damaged", "The store is damaged. Whoever runs Countersign has to restore a backup."],
  ["store_unreachable", "The database does not answer. Nothing is lost; try again when it is back."],
  ["not_ready", "The server is still starting. Try again in a few seconds."],
]);

export function hintFor(code: string): string {
  return HINTS.get(code) ?? "Try again, or say it in other words. The run log and the server's log say more.";
}
