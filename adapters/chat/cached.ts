const KEPT_MS = 60_000;

/** Remembers answers for a while, and failures not at all; asks once for what many want to know. */
export function cached<Answer>(ask: (key: string) => Promise<Answer>): (key: string) => Promise<Answer> {
  const answers = new Map<string, { until: number; answer: Promise<Answer> }>();
  return (key) => {
    const now = performance.now();
    const known = answers.get(key);
    if (known !== undefined && known.until > now) return known.answer;
    for (const [old, { until }] of answers) if (until <= now) answers.delete(old);
    const answer = ask(key);
    answers.set(key, { until: now + KEPT_MS, answer });
    answer.catch(() => answers.delete(key));
    return answer;
  };
}

/** Keeps a value, and drops the one that was kept first where there are `most` already. */
export function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
  kept.set(key, value);
}
