/** Where the style of drawn blocks lies; nothing in it comes from elsewhere. */
export function slackStyle(): URL {
  return new URL("slack.css", import.meta.url);
}

/** Where the style of drawn messages lies; nothing in it comes from elsewhere. */
export function discordStyle(): URL {
  return new URL("discord.css", import.meta.url);
}
