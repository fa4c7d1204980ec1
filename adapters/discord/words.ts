/** A person of a message, as Discord names them. */
interface Named {
  id: string;
  username: string;
  global_name?: string | null;
}

/** What a person wrote, without mentions of the bot; those of others, and emoji, become plain text. */
export function plainWords(content: string, bot: string, people: readonly Named[] = []): string {
  return content
    .replaceAll(new RegExp(`\\s*<@!?${bot}>`, "g"), "")
    .replaceAll(/<@!?(\d+)>/g, (whole, id: string) => {
      const person = people.find((one) => one.id === id);
      return person === undefined ? whole : `@${person.global_name ?? person.username}`;
    })
    .replaceAll(/<a?(:\w+:)\d+>/g, "$1")
    .trim();
}

export function mentions(content: string, bot: string): boolean {
  return content.includes(`<@${bot}>`) || content.includes(`<@!${bot}>`);
}
