/** An error as a sentence for the person who caused it; what is not meant for people stays in the log. */
export function say(error: unknown): string {
  // Refusals are marked where they are made, see the contract's Core.
  if (error instanceof Error && "forPeople" in error && error.forPeople === true) return error.message;
  return "That did not work, and nothing was changed. Please try again.";
}
