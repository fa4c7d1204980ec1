import type { Screen } from "./screen.ts";

/** `approve [a] · deny [d] `: words with the key that says them. */
export function question({ ink }: Screen, choices: [string, string][]): string {
  return `${choices.map(([words, key]) => `${words} ${ink.paint("bold", `[${key}]`)}`).join(" · ")} `;
}
