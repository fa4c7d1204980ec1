import type { DiscordDrawContext } from "#adapters/preview/context.ts";

import { attachmentShape } from "../shapes.ts";
import type { StoredFile, World } from "../types.ts";

/** What a drawing knows of this world; `target` is the message whose controls work, or the modal. */
export function lookOf(world: World, target: string, files: readonly StoredFile[]): DiscordDrawContext {
  return {
    now: world.clock.now(),
    name(kind, id) {
      if (kind === "user") return world.users.get(id)?.realName;
      if (kind === "channel") return world.channels.get(id)?.name;
      return [...world.guilds.values()]
        .map(({ roles }) => roles.get(id)?.name)
        .find((name) => name !== undefined);
    },
    attributes: ({ custom_id: id }) =>
      typeof id === "string" ? { "data-target": target, "data-control": id } : undefined,
    file(url) {
      const file = files.find(({ filename }) => url === `attachment://${filename}`);
      if (file === undefined) return undefined;
      const href = new URL(String(attachmentShape(world, file).url)).pathname;
      return { href, note: `${file.content.length} bytes` };
    },
  };
}
