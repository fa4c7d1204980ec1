import { z } from "zod";

import { type Api, EVERYBODY, type User } from "./api.ts";

/** A user as tools answer it. */
export const userRow = z.looseObject({
  user_id: z.string(),
  user_name: z.string(),
  email: z.string(),
  role: z.string(),
  groups: z.array(z.string()),
});
/** Fields of a user as people name them; others of the API are handed on. */
export const userData = z
  .looseObject({
    email: z.string().optional(),
    userName: z.string().optional(),
    firstName: z.string().optional(),
    lastName: z.string().optional(),
    role: z
      .string()
      .optional()
      .describe("Name of the role: viewer, designer, dataDesigner, dataAdmin, admin"),
    groups: z.array(z.string()).optional().describe("Names of all groups the user is in; [] for none"),
  })
  .describe("Fields of the user: email, firstName, lastName, role (name), groups (names)");
type UserData = z.infer<typeof userData>;

export function toRow({
  id,
  userName: user,
  email,
  firstName,
  lastName,
  role,
  groups,
  active,
  lastLogin,
}: User): object {
  const others = groups.filter((group) => !EVERYBODY.includes(group.name));
  return {
    user_id: id,
    user_name: user,
    email,
    first_name: firstName,
    last_name: lastName,
    role,
    groups: (others.length > 0 ? others : groups).map((group) => group.name),
    active,
    last_login: lastLogin,
  };
}

/** What the API is sent, and the same as people read it. */
export async function fieldsOf(
  api: Api,
  given: UserData,
): Promise<{ body: object; shown: Record<string, unknown> }> {
  const { role, groups, ...rest } = given;
  const foundRole = role === undefined ? undefined : await api.role(role);
  const foundGroups =
    groups === undefined ? undefined : await Promise.all(groups.map((one) => api.group(one)));
  const { password, ...shown } = rest as Record<string, unknown>;
  return {
    body: {
      ...rest,
      ...(foundRole && { roleId: foundRole.id }),
      ...(foundGroups && { groups: foundGroups.map(({ id }) => id) }),
    },
    shown: {
      ...shown,
      ...(password !== undefined && { password: "set" }),
      ...(foundRole && { role: foundRole.name }),
      ...(foundGroups && { groups: foundGroups.map((group) => group.name) }),
    },
  };
}
