import { ApplicationCommandType } from "discord-api-types/v10";

import { isFields } from "../../slack/json.ts";
import { checkCommand } from "../check/commands.ts";
import { Form } from "../check/form.ts";
import { refusal } from "../errors.ts";
import type { Command, Fields, World } from "../types.ts";
import { demandApp, guildOf, route } from "./route.ts";
import type { Context, Route } from "./route.ts";

const DAY_MS = 86_400_000;
const DAILY_CREATES = 200;
const MOST: Record<number, number> = { 1: 100, 2: 15, 3: 15 };

/** Routes of application commands, global and per guild. */
export const commandRoutes: readonly Route[] = ["", "/guilds/:guild"].flatMap((scope) => {
  const path = `/applications/:app${scope}/commands`;
  return [
    route("GET", path, (context) => commandsOf(context)),
    route("PUT", path, overwrite),
    route("POST", path, create),
    route("GET", `${path}/:command`, (context) => commandOf(context)),
    route("PATCH", `${path}/:command`, change),
    route("DELETE", `${path}/:command`, (context) => {
      const command = commandOf(context);
      const all = commandsOf(context);
      all.splice(all.indexOf(command), 1);
      context.world.changed();
    }),
  ];
});

/** Where the commands of a request are kept: a guild's id, or `global`. */
function keyOf(context: Context): string {
  demandApp(context);
  return context.params.guild === undefined ? "global" : guildOf(context).id;
}

function commandsOf(context: Context): Command[] {
  const key = keyOf(context);
  const known = context.world.commands.get(key);
  if (known !== undefined) return known;
  const none: Command[] = [];
  context.world.commands.set(key, none);
  return none;
}

function commandOf(context: Context): Command {
  const command = commandsOf(context).find(({ id }) => id === context.params.command);
  if (command === undefined) throw refusal(10063);
  return command;
}

function overwrite(context: Context): unknown {
  const { world, list } = context;
  const before = commandsOf(context);
  const form = new Form();
  for (const [index, command] of list.entries()) checkCommand(form, command, [index]);
  checkCounts(form, list);
  context.accept(form);
  const wanted = list.filter(isFields);
  const known = (wish: Fields): Command | undefined => before.find((command) => sameName(command, wish));
  countCreates(world, keyOf(context), wanted.filter((wish) => known(wish) === undefined).length);
  const after = wanted.map((wish) => commandShape(context, wish, known(wish)));
  before.splice(0, before.length, ...after);
  world.changed();
  return after;
}

function create(context: Context): unknown {
  const { world, body } = context;
  const all = commandsOf(context);
  const form = new Form();
  checkCommand(form, body, []);
  const before = all.find((command) => sameName(command, body));
  if (before === undefined) checkCounts(form, [...all, body]);
  context.accept(form);
  if (before === undefined) countCreates(world, keyOf(context), 1);
  const command = commandShape(context, body, before);
  all.splice(before === undefined ? all.length : all.indexOf(before), 1, command);
  world.changed();
  return command;
}

function change(context: Context): unknown {
  const all = commandsOf(context);
  const before = commandOf(context);
  const { id: _, application_id: __, version: ___, guild_id: ____, ...plain } = before;
  const wish = { ...plain, ...context.body };
  const form = new Form();
  checkCommand(form, wish, []);
  context.accept(form);
  const command = commandShape(context, wish, before);
  all.splice(all.indexOf(before), 1, command);
  context.world.changed();
  return command;
}

function sameName(command: Fields, wish: Fields): boolean {
  return command.name === wish.name && command.type === (wish.type ?? ApplicationCommandType.ChatInput);
}

function checkCounts(form: Form, list: readonly unknown[]): void {
  const names = new Set<string>();
  const counts: Record<number, number> = {};
  for (const [index, command] of list.entries()) {
    if (!isFields(command)) continue;
    const type = Number(command.type ?? 1);
    counts[type] = (counts[type] ?? 0) + 1;
    const name = `${type} ${String(command.name)}`;
    if (names.has(name)) {
      form.add(
        [index, "name"],
        "APPLICATION_COMMANDS_DUPLICATE_NAME",
        "Application command names must be unique",
      );
    }
    names.add(name);
  }
  for (const [type, count] of Object.entries(counts)) {
    const most = MOST[Number(type)] ?? 0;
    if (count > most) {
      form.add([], "APPLICATION_COMMANDS_MAX", `Maximum number of application commands reached (${most})`);
    }
  }
}

/** Only a new name counts: https://discord.com/developers/docs/interactions/application-commands#registering-a-command */
function countCreates(world: World, key: string, count: number): void {
  const now = world.clock.now();
  const recent = (world.creates.get(key) ?? []).filter((at) => now - at < DAY_MS);
  if (recent.length + count > DAILY_CREATES) throw refusal(30034);
  world.creates.set(key, [...recent, ...Array.from({ length: count }, () => now)]);
}

function commandShape({ world, params }: Context, wish: Fields, before: Command | undefined): Command {
  return {
    default_member_permissions: null,
    dm_permission: true,
    nsfw: false,
    contexts: null,
    integration_types: [0],
    description: "",
    ...wish,
    type: (wish.type ?? ApplicationCommandType.ChatInput) as ApplicationCommandType,
    name: String(wish.name),
    id: before?.id ?? world.nextId(),
    application_id: world.app.id,
    version: world.nextId(),
    ...(params.guild === undefined ? {} : { guild_id: params.guild }),
  };
}
