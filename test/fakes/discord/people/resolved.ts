import { permissionsIn } from "../permissions.ts";
import { attachmentShape, channelShape, knownUser, memberShape, roleShape } from "../shapes.ts";
import type { Channel, Fields, StoredFile, User, World } from "../types.ts";
import { channelNamed } from "../world.ts";

export interface GivenFile {
  name: string;
  content: string | Buffer;
  type?: string;
}

/** Turns names that a person chose into ids, and collects what Discord tells about those ids. */
export interface Resolver {
  user(name: string): string;
  role(name: string): string;
  channel(name: string): string;
  file(given: GivenFile): string;
  /** What was looked up, for `resolved`. */
  data(): Fields | undefined;
}

export function createResolver(world: World, channel: Channel): Resolver {
  const resolved: Record<string, Fields> = {};
  const put = (kind: string, id: string, shape: Fields): string => {
    (resolved[kind] ??= {})[id] = shape;
    return id;
  };
  const guild = world.guilds.get(channel.guild ?? "");
  return {
    user(name) {
      const { id } = userNamed(world, name);
      if (guild?.members.has(id) === true) {
        const permissions = String(permissionsIn(world, id, channel));
        put("members", id, { ...memberShape(guild, id), permissions });
      }
      return put("users", id, knownUser(world, id));
    },
    role(name) {
      const roles = [...(guild?.roles.values() ?? [])];
      const index = roles.findIndex((role) => role.id === name || role.name === name);
      const role = roles[index];
      if (role === undefined) throw new Error(`expected a role, got "${name}"`);
      return put("roles", role.id, roleShape(world, role, index));
    },
    channel(name) {
      const found = channelNamed(world, name, channel.guild);
      const permissions = String(permissionsIn(world, world.app.id, found));
      return put("channels", found.id, { ...channelShape(world, found), permissions });
    },
    file(given) {
      const file = storedFile(world, given);
      return put("attachments", file.id, attachmentShape(world, file));
    },
    data: () => (Object.keys(resolved).length === 0 ? undefined : resolved),
  };
}

export function userNamed(world: World, name: string): User {
  const found = world.users.get(name) ?? [...world.users.values()].find((user) => user.name === name);
  if (found === undefined) throw new Error(`expected somebody, got "${name}"`);
  return found;
}

export function storedFile(world: World, { name, content, type }: GivenFile): StoredFile {
  const file: StoredFile = {
    id: world.nextId(),
    filename: name,
    description: undefined,
    contentType: type ?? "text/plain; charset=utf-8",
    content: Buffer.from(content),
    ephemeral: false,
  };
  world.files.set(file.id, file);
  return file;
}
