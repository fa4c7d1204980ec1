import { compileGlob, compileToolGlob, partsOf } from "../base/tool-names.ts";

/**
 * Whether a model may see what a tool says, by the configuration: not of a private server's tools, nor
 * of tools whose id or bare name a glob of `privacy.withhold` matches.
 */
export function createShowsTool(
  withhold: readonly string[],
  privateServers: readonly string[],
): (toolId: string) => boolean {
  const matchers = withhold.flatMap((glob) => {
    const overName = compileGlob(glob, { ignoreCase: true });
    return [compileToolGlob(glob, { ignoreCase: true }), (id: string) => overName(partsOf(id).name)];
  });
  const hidden = new Set(privateServers);
  return (toolId) => !hidden.has(partsOf(toolId).server) && !matchers.some((matches) => matches(toolId));
}
