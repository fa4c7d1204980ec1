import { channel } from "node:diagnostics_channel";

/** One statement as the database was sent it. */
export interface SentStatement {
  sql: string;
  /** Whether it makes something durable: the end of a transaction, or a write outside of one. */
  isCommit: boolean;
}

const sent = channel("countersign:statement");

/** Tells whoever counts; costs nothing while nobody does. */
export function tellStatement(toStatement: () => SentStatement): void {
  if (sent.hasSubscribers) sent.publish(toStatement());
}

/** Calls `listener` with each statement of every store of this process; returns what ends that. */
export function onStatement(listener: (statement: SentStatement) => void): () => void {
  const heard = (message: unknown): void => listener(message as SentStatement);
  sent.subscribe(heard);
  return () => {
    sent.unsubscribe(heard);
  };
}
