const inherited = ["PATH", "HOME", "LANG", "TZ", "TERM", "USER", "TMPDIR", "COUNTERSIGN_DATA"];

/**
 * What a launched server sees: a short list of harmless names from the parent, and what the
 * configuration gives it. Tokens of the parent never pass by default.
 */
export function childEnvironment(
  parent: NodeJS.ProcessEnv,
  configured: Record<string, string> = {},
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of inherited) {
    const value = parent[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...configured };
}
