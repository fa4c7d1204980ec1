/** What the buttons of a message refer to: a turn (its reply), one of its results, or an approval. */
export type Ref =
  | { kind: "turn"; turnId: string }
  | { kind: "result"; turnId: string; index: number }
  | { kind: "approval"; approvalId: string };

export function turnRef(turnId: string): string {
  return `t:${turnId}`;
}

export function resultRef(turnId: string, index: number): string {
  return `r:${index}:${turnId}`;
}

export function approvalRef(approvalId: string): string {
  return `a:${approvalId}`;
}

export function readRef(ref: string): Ref | undefined {
  const [, kind, index, id = ""] = /^(?:([ta])|r:(\d{1,6})):(.+)$/s.exec(ref) ?? [];
  if (kind === "t") return { kind: "turn", turnId: id };
  if (kind === "a") return { kind: "approval", approvalId: id };
  return index === undefined ? undefined : { kind: "result", turnId: id, index: Number(index) };
}
