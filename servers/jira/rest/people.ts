import { z } from "zod";

import { ToolFailure } from "#servers/kit/failure.ts";
import type { Rest } from "#servers/kit/rest.ts";

import type { CallContext } from "../backend.ts";
import { quote } from "../jql/compose.ts";
import type { Person } from "../model.ts";
import { isMe, isNobody, pickPerson } from "../names.ts";
import type { Dialect } from "./dialect.ts";
import { toPerson } from "./present.ts";
import { read } from "./read.ts";
import { userSchema } from "./shapes.ts";

export interface People {
  /** Someone who can be assigned in a project. */
  find(text: string, project: string, call: CallContext): Promise<Person>;
  /** The JQL condition for an assignee as the caller named it. */
  condition(assignee: string | undefined, call: CallContext): Promise<string | undefined>;
}

export function createPeople(rest: Rest, dialect: Dialect): People {
  async function search(text: string, project: string | undefined, call: CallContext): Promise<Person[]> {
    const users = read(z.array(userSchema), await dialect.users(text, project, call), "a search for people");
    return users.map(toPerson).filter((person) => person !== null);
  }

  /** Jira also finds people by email address, which it does not show; then the only hit is meant. */
  function choose(text: string, people: Person[]): Person {
    const [only] = people;
    if (only !== undefined && people.length === 1) return only;
    return pickPerson(text, people);
  }

  return {
    async find(text, project, call) {
      if (isMe(text)) {
        const me = toPerson(
          read(
            userSchema,
            await rest.get(`${dialect.api}/myself`, { signal: call.signal }),
            "the own account",
          ),
        );
        if (me !== null) return me;
      }
      const found = await search(text, project, call);
      // Without a hit the error names those who can be assigned.
      return found.length > 0 ? choose(text, found) : pickPerson(text, await search("", project, call));
    },
    async condition(assignee, call) {
      if (assignee === undefined) return undefined;
      if (isMe(assignee)) return "assignee = currentUser()";
      if (isNobody(assignee)) return "assignee is EMPTY";
      const found = await search(assignee, undefined, call);
      if (found.length === 0) throw new ToolFailure("unknown_user", `Jira finds no user for "${assignee}"`);
      return `assignee = ${quote(choose(assignee, found).id)}`;
    },
  };
}
