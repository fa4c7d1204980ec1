import { SlackError } from "../types.ts";
import type { Fields, OpenView, User, View } from "../types.ts";
import { initialState } from "../form.ts";
import { invalidArguments, nested, required, text } from "./arguments.ts";
import { checkView } from "./content.ts";
import type { Context, Methods } from "./method.ts";

/** A trigger opens one view, within three seconds of what the person did. */
export const TRIGGER_LIFE_MS = 3000;
const MOST_PUSHED = 3;

export const views: Methods = {
  "views.open": {
    run(args, context) {
      const user = useTrigger(context, required(args, "trigger_id"));
      const view = newView(context, user, nested(args, "view"), null);
      context.world.modals.set(user.id, [view.id]);
      return { view };
    },
  },
  "views.push": {
    run(args, context) {
      const user = useTrigger(context, required(args, "trigger_id"));
      return { view: pushView(context, user, nested(args, "view")) };
    },
  },
  "views.update": {
    run(args, context) {
      const id = text(args, "view_id");
      const external = text(args, "external_id");
      if (id === undefined && external === undefined)
        throw invalidArguments("missing required field: view_id");
      const found = [...context.world.views.values()].find(
        ({ view }) =>
          view.team_id === context.team.id &&
          (id === undefined ? view.external_id === external : view.id === id),
      );
      if (found === undefined || !isOpen(context, found)) throw new SlackError("not_found");
      const hash = text(args, "hash");
      if (hash !== undefined && hash !== found.view.hash) throw new SlackError("hash_conflict");
      return { view: replaceView(context, found, nested(args, "view")) };
    },
  },
  "views.publish": {
    run(args, context) {
      const { world, team } = context;
      const user = world.users.get(required(args, "user_id"));
      if (user === undefined || user.team !== team.id) throw new SlackError("user_not_found");
      const current = world.views.get(world.homes.get(user.id) ?? "");
      const hash = text(args, "hash");
      if (current !== undefined) {
        if (hash !== undefined && hash !== current.view.hash) throw new SlackError("hash_conflict");
        return { view: replaceView(context, current, nested(args, "view")) };
      }
      const view = newView(context, user, nested(args, "view"), null, "home");
      world.homes.set(user.id, view.id);
      return { view };
    },
  },
};

/** Puts a view on top of the person's modals. */
export function pushView(context: Context, user: User, wanted: unknown): View {
  const stack = context.world.modals.get(user.id) ?? [];
  const below = stack.at(-1);
  if (below === undefined) throw new SlackError("not_found");
  if (stack.length >= MOST_PUSHED) throw new SlackError("push_limit_reached");
  const view = newView(context, user, wanted, below);
  stack.push(view.id);
  return view;
}

export function replaceView(context: Context, open: OpenView, wanted: unknown): View {
  const checked = checkView(context.structure, wanted, open.view.type);
  const { id, team_id, root_view_id, previous_view_id, type } = open.view;
  const hash = `${context.world.nextTs()}.${id}`;
  const state = { values: initialState(checked.blocks) };
  const shape = { id, team_id, root_view_id, previous_view_id, type, hash, state };
  open.view = { ...defaults(context), ...checked, ...shape };
  return open.view;
}

function newView(
  context: Context,
  user: User,
  wanted: unknown,
  previous: string | null,
  type: "modal" | "home" = "modal",
): View {
  const { world, team } = context;
  const checked = checkView(context.structure, wanted, type);
  const external = checked.external_id;
  if (typeof external === "string" && external !== "") {
    const taken = [...world.views.values()].some(
      (open) => open.view.team_id === team.id && open.view.external_id === external && isOpen(context, open),
    );
    if (taken) throw new SlackError("duplicate_external_id");
  }
  const id = world.nextId("V");
  const root = previous === null ? id : (world.views.get(previous)?.view.root_view_id ?? id);
  const view: View = {
    ...defaults(context),
    ...checked,
    id,
    type,
    team_id: team.id,
    hash: `${world.nextTs()}.${id}`,
    root_view_id: root,
    previous_view_id: previous,
    state: { values: initialState(checked.blocks) },
  };
  world.views.set(id, { view, user: user.id });
  return view;
}

function defaults({ world, team }: Context): Fields {
  return { private_metadata: "", callback_id: "", external_id: "", app_id: world.app.id, bot_id: team.botId };
}

function isOpen({ world }: Context, { view, user }: OpenView): boolean {
  return view.type === "home" || world.modals.get(user)?.includes(view.id) === true;
}

function useTrigger({ world, team }: Context, id: string): User {
  const trigger = world.triggers.get(id);
  if (trigger === undefined || trigger.team !== team.id) throw new SlackError("invalid_trigger_id");
  if (trigger.used) throw new SlackError("exchanged_trigger_id");
  if (world.clock.now() - trigger.at > TRIGGER_LIFE_MS) throw new SlackError("expired_trigger_id");
  trigger.used = true;
  const user = world.users.get(trigger.user);
  if (user === undefined) throw new SlackError("user_not_found");
  return user;
}
