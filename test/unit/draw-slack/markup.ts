import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.ChildNode;

/** Every element of a piece of HTML, as a browser reads it. */
export function elementsOf(html: string): Element[] {
  const all = (nodes: readonly Node[]): Element[] =>
    nodes.flatMap((node) => ("tagName" in node ? [node, ...all(node.childNodes)] : []));
  return all(parseFragment(html).childNodes);
}

/** What can be read of it, in the order of the page. */
export function visibleText(html: string): string {
  const all = (nodes: readonly Node[]): string =>
    nodes
      .map((node) => {
        if (node.nodeName === "#text") return (node as DefaultTreeAdapterTypes.TextNode).value;
        const inner = "childNodes" in node ? all(node.childNodes) : "";
        return /^(?:div|p|li|tr|td|th|dt|dd|h\d|pre|br)$/.test(node.nodeName) ? `${inner} ` : inner;
      })
      .join("");
  return all(parseFragment(html).childNodes);
}

const TAGS = new Set(
  (
    "a article b blockquote br button caption code details div em footer header hr img input label li ol " +
    "option path pre rect s select small span strong summary svg table tbody td textarea th thead time tr u ul"
  ).split(" "),
);

/** What a strict content security policy would forbid, and what would act or reach elsewhere. */
export function offences(html: string): string[] {
  return elementsOf(html).flatMap(({ tagName, attrs }) => [
    ...(TAGS.has(tagName) ? [] : [`<${tagName}>`]),
    ...attrs.flatMap(({ name, value }) => {
      const forbidden =
        name === "style" ||
        name.startsWith("on") ||
        (name === "href" && !/^(?:https?:\/\/|\/)/i.test(value)) ||
        (name === "src" && !value.startsWith("/"));
      return forbidden ? [`${tagName}[${name}=${value}]`] : [];
    }),
  ]);
}
