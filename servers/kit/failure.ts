/**
 * Why a tool cannot do what it was asked: a stable code, and a message that says what was expected,
 * what came and what exists. Thrown from a tool it becomes an MCP result with `isError`.
 */
export class ToolFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ToolFailure";
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
