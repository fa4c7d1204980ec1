/** As a `ts` of Slack; some time ago, as clocks differ. */
export function secondsAgo(seconds: number): string {
  return (Date.now() / 1000 - seconds).toFixed(6);
}
