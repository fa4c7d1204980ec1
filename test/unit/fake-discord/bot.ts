import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  Client,
  Events,
  GatewayIntentBits,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  Partials,
  TextInputBuilder,
  TextInputStyle,
} from "discord.js";
import type { ApplicationCommandDataResolvable, ClientOptions, Interaction, Message } from "discord.js";

import type { FakeDiscord } from "#test/fakes/discord/discord.ts";

export interface Bot {
  client: Client;
  /** Ids of the messages that came, in order. */
  seen: string[];
  interactions: Interaction[];
  stop(): Promise<void>;
}

export const commands: ApplicationCommandDataResolvable[] = [
  {
    name: "jira",
    description: "Ask about issues",
    options: [
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: "show",
        description: "One issue",
        options: [
          {
            type: ApplicationCommandOptionType.String,
            name: "key",
            description: "Its key",
            required: true,
            autocomplete: true,
          },
        ],
      },
      { type: ApplicationCommandOptionType.Subcommand, name: "create", description: "A new issue" },
      { type: ApplicationCommandOptionType.Subcommand, name: "slow", description: "Never answers" },
    ],
  },
  { type: ApplicationCommandType.Message, name: "Ask Countersign" },
];

/** A small but whole bot: it answers mentions, commands, autocomplete, buttons, forms and the context menu. */
export async function startBot(discord: FakeDiscord, options: Partial<ClientOptions> = {}): Promise<Bot> {
  const client = new Client({
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages, GatewayIntentBits.DirectMessages],
    partials: [Partials.Channel],
    allowedMentions: { parse: [] },
    rest: { api: discord.apiUrl },
    shardCount: 1,
    ...options,
  });
  const bot: Bot = { client, seen: [], interactions: [], stop: () => client.destroy() };
  client.on(Events.Error, () => {});
  client.on(Events.MessageCreate, (message) => {
    void heard(bot, message);
    // Whoever waits for `seen` looks again.
    discord.world.changed();
  });
  client.on(Events.InteractionCreate, (interaction) => void used(bot, interaction));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.environment.DISCORD_TOKEN);
  await ready;
  return bot;
}

async function heard(bot: Bot, message: Message): Promise<void> {
  bot.seen.push(message.id);
  const { client } = bot;
  if (message.author.bot || client.user === null || !message.mentions.has(client.user)) return;
  const approve = new ButtonBuilder()
    .setCustomId("approve")
    .setLabel("Approve")
    .setStyle(ButtonStyle.Success);
  const row = new ActionRowBuilder<ButtonBuilder>().addComponents(approve);
  await message.reply({ content: "May I?", components: [row] });
}

async function used(bot: Bot, interaction: Interaction): Promise<void> {
  bot.interactions.push(interaction);
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused();
    await interaction.respond([{ name: `${typed} and more`, value: typed || "none" }]);
  } else if (interaction.isChatInputCommand()) {
    const sub = interaction.options.getSubcommand();
    if (sub === "show") {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.editReply(`This is ${interaction.options.getString("key", true)}`);
    }
    if (sub === "create") {
      const input = new TextInputBuilder()
        .setCustomId("summary")
        .setStyle(TextInputStyle.Short)
        .setMaxLength(80);
      const label = new LabelBuilder().setLabel("Summary").setTextInputComponent(input);
      await interaction.showModal(
        new ModalBuilder().setCustomId("form").setTitle("Create").addLabelComponents(label),
      );
    }
  } else if (interaction.isModalSubmit()) {
    await interaction.reply(`Made "${interaction.fields.getTextInputValue("summary")}"`);
  } else if (interaction.isButton()) {
    await interaction.update({ content: `approved by ${interaction.user.username}`, components: [] });
    await interaction.followUp({ content: "Thanks", flags: MessageFlags.Ephemeral });
  } else if (interaction.isMessageContextMenuCommand()) {
    await interaction.reply(`You mean "${interaction.targetMessage.content}"`);
  }
}
