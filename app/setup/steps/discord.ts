import { type AppTrial, createDiscordTrial, type Refused } from "#adapters/discord/install/trial.ts";

import { botPage, inviteUrl } from "../../checks/discord.ts";
import { sentence } from "../../checks/finding.ts";
import { again, type Setup, shallConnect, type Step } from "../step.ts";

export const discord: Step = {
  id: "discord",
  title: "Discord",
  async run(setup) {
    const { surface, draft } = setup;
    const { discord: today } = draft.settings;
    const isOn = today.token !== "";
    const wanted = {
      id: "discord",
      title: "Discord",
      ours: "server",
      change: "the token or the servers",
      isOn,
    };
    if (!(await shallConnect(setup, { ...wanted, initial: "keep" }))) return;
    if (!isOn) await leadToApp(setup);
    const found = await tryToken(setup);
    if (found === undefined) return;
    const app = await inviteBot(setup, found);
    if (app === undefined) return;
    const chosen =
      app.guilds.length === 1
        ? app.guilds.map(({ id }) => id)
        : await surface.choices({
            id: "discord.guilds",
            title: "In which servers shall it work?",
            options: app.guilds.map(({ id, name }) => ({ value: id, label: name })),
            initial: today.guilds.filter((id) => app.guilds.some((guild) => guild.id === id)),
          });
    draft.bind(["discord", "token"], "DISCORD_TOKEN");
    draft.setVariables({ DISCORD_TOKEN: found.token });
    if (chosen.length > 0) draft.set(["discord", "guilds"], chosen);
    const names = app.guilds.filter(({ id }) => chosen.includes(id)).map(({ name }) => name);
    surface.tell("good", `It works in ${names.join(", ")}. People of other servers reach nothing.`);
  },
};

async function leadToApp({ surface }: Setup): Promise<void> {
  await surface.link(
    "1. Open this page, press New Application, and call it Countersign:",
    "https://discord.com/developers/applications",
  );
  surface.tell(
    "guide",
    "2. Under Bot switch on Message Content Intent, and switch Public Bot off. Press Reset Token and copy the token.",
  );
}

interface Found {
  token: string;
  app: AppTrial;
}

async function tryToken(setup: Setup): Promise<Found | undefined> {
  const { surface, draft } = setup;
  const { discord: today } = draft.settings;
  for (;;) {
    const typed = await surface.secret({
      id: "discord.token",
      title: "The bot's token",
      help: "Under Bot, Reset Token. Discord shows it once.",
      isSet: today.token !== "",
      check: (answer) => (/^[\w.-]+$/.test(answer) ? undefined : "The token, without spaces"),
    });
    const token = typed ?? today.token;
    const app = await surface.work("Trying the token", () => look(setup, token));
    if (!("code" in app)) {
      surface.tell("good", `The token is of the app ${app.name}.`);
      return { token, app };
    }
    surface.tell("bad", sentence(app.message));
    if (!(await again(setup, "discord.again", "Discord"))) return undefined;
  }
}

/** Until the bot may read messages and is in a server. */
async function inviteBot(setup: Setup, { token, app: first }: Found): Promise<AppTrial | undefined> {
  const { surface, draft } = setup;
  for (
    let app: AppTrial | Refused = first;
    ;
    app = await surface.work("Looking again", () => look(setup, token))
  ) {
    if ("code" in app) {
      surface.tell("bad", sentence(app.message));
    } else {
      const mayRead = app.readsMessages || !draft.settings.discord.message_content;
      if (mayRead && app.guilds.length > 0) return app;
      if (!mayRead)
        await surface.link(
          "Switch on Message Content Intent here, so that people can go on in a thread without a mention:",
          botPage(first.id),
        );
      if (app.guilds.length === 0)
        await surface.link("Add the bot to your server here:", inviteUrl(first.id));
    }
    if (!(await again(setup, "discord.ready", "Discord", "Done, look again"))) return undefined;
  }
}

function look({ draft, machine }: Setup, token: string): Promise<AppTrial | Refused> {
  return createDiscordTrial({ ...draft.settings.discord, token }, machine.now).app();
}
