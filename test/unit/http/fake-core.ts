import type { Core } from "#contract/core.ts";
import type { Turn } from "#contract/turn.ts";

/** One turn of a core whose events a test decides. Every other method is refused. */
export function createFakeCore(turn: Turn, events: Core["events"]): Core {
  const refuse = (): never => {
    throw new Error("not part of this test");
  };
  return {
    submit: () => Promise.resolve({ turnId: turn.id, duplicate: false }),
    turn: (id) => Promise.resolve(id === turn.id ? turn : undefined),
    events,
    eventsSoFar: () => Promise.resolve([]),
    record: () => Promise.resolve({ message: "", steps: [] }),
    conversation: refuse,
    conversations: refuse,
    turnPage: refuse,
    renameConversation: refuse,
    deleteConversation: refuse,
    lastChange: () => Promise.resolve(0),
    changes: refuse,
    stop: refuse,
    rate: refuse,
    ratings: () => Promise.resolve([]),
    tools: refuse,
    health: refuse,
    approvals: () => Promise.resolve([]),
    approval: () => Promise.resolve(undefined),
    decide: refuse,
    edit: refuse,
    lookup: refuse,
    grants: refuse,
    grant: refuse,
    revokeGrant: refuse,
    settle: refuse,
    file: () => Promise.resolve(undefined),
    questions: () => Promise.resolve([]),
    question: () => Promise.resolve(undefined),
    answer: refuse,
    commands: refuse,
    readCommand: () => undefined,
    checkCall: refuse,
    approvalsFor: refuse,
    privacy: refuse,
    setPrivacy: refuse,
    onChange: refuse,
  };
}

export function createTurn(more: Partial<Turn> = {}): Turn {
  return {
    id: "turn_1",
    surface: "http",
    actor: "http:local",
    conversationId: "http:s",
    channel: "http:s",
    message: "hello",
    state: "running",
    createdAt: 0,
    updatedAt: 0,
    ...more,
  };
}
