/** Where the style of drawn messages lies; nothing in it comes from elsewhere. */
export function discordStyle(): URL {
  return new URL("discord.css", import.meta.url);
}
