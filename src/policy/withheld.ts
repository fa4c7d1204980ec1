import picomatch from "picomatch";

/**
 * Whether a model may see what a tool says, by the configuration: not of a private server's tools, nor
 * of tools whose id or bare name a glob of `privacy.withhold` matches.
 */
export function createShowsTool(
  withhold: readonly string[],
  privateServers: readonly string[],
): (toolId: string) => boolean {
  const matchers = withhold.map((glob) => picomatch(glob, { dot: true, nocase: true }));
  const hidden = new Set(privateServers);
  return (toolId) => {
    const at = toolId.indexOf(".");
    if (hidden.has(toolId.slice(0, at))) return false;
    return !matchers.some((matches) => matches(toolId) || matches(toolId.slice(at + 1)));
  };
}
