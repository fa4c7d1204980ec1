import { ToolFailure } from "#servers/kit/failure.ts";

import type { CallContext, JiraBackend, LinkType } from "./backend.ts";
import { foldName } from "./names.ts";

export async function linkIssues(
  jira: JiraBackend,
  from: string,
  to: string,
  type: string,
  call: CallContext,
): Promise<{ from_key: string; to_key: string; type: string }> {
  if (from === to) throw new ToolFailure("bad_link", `${from} cannot be linked to itself`);
  const { linkType, inward } = pickLinkType(type, await jira.linkTypes(call));
  const [source, target] = await Promise.all([jira.issue(from, call), jira.issue(to, call)]);
  const phrase = inward ? linkType.inward : linkType.outward;
  if (!source.links.some((link) => link.key === target.key && link.type === phrase)) {
    await (inward
      ? jira.link(linkType, target.key, source.key, call)
      : jira.link(linkType, source.key, target.key, call));
  }
  return { from_key: source.key, to_key: target.key, type: phrase };
}

/** By either phrase ("blocks", "is blocked by", "blocked by") or the type's name. */
function pickLinkType(text: string, types: LinkType[]): { linkType: LinkType; inward: boolean } {
  const wanted = foldName(text).replace(/^is/, "");
  const same = (phrase: string): boolean => foldName(phrase).replace(/^is/, "") === wanted;
  const outward = types.find((type) => same(type.outward)) ?? types.find((type) => same(type.name));
  if (outward !== undefined) return { linkType: outward, inward: false };
  const inward = types.find((type) => same(type.inward));
  if (inward !== undefined) return { linkType: inward, inward: true };
  const phrases = [...new Set(types.flatMap((type) => [type.outward, type.inward]))];
  throw new ToolFailure("unknown_link_type", `unknown link type "${text}". Possible: ${phrases.join(", ")}`);
}
