import { categories, priorities } from "./world.ts";
import type { Comment, Issue, Project, User, World } from "./world.ts";

/** Answers in the form of Jira Cloud's REST API v3, with the addresses and ids that come along. */
export interface Present {
  issue: (issue: Issue, fields?: readonly string[]) => object;
  comment: (issue: Issue, comment: Comment) => object;
  project: (project: Project) => object;
  user: (user: User) => object;
}

export function present(world: World, site: string): Present {
  const api = `${site}/rest/api/3`;
  const avatars = { "16x16": `${site}/avatar?size=16`, "48x48": `${site}/avatar?size=48` };

  const user = ({ accountId, displayName, emailAddress }: User): object => ({
    self: `${api}/user?accountId=${accountId}`,
    accountId,
    emailAddress,
    avatarUrls: avatars,
    displayName,
    active: true,
    timeZone: "Europe/Stockholm",
    accountType: "atlassian",
  });

  const person = (id: string | null): object | null => {
    const found = world.users.find(({ accountId }) => accountId === id);
    return found === undefined ? null : user(found);
  };

  const issueType = (name: string): object => ({
    self: `${api}/issuetype/${name}`,
    id: `3${name.length}`,
    description: `A ${name.toLowerCase()}.`,
    iconUrl: `${site}/icons/${name}.svg`,
    name,
    subtask: false,
    hierarchyLevel: 0,
  });

  const project = (one: Project): object => ({
    self: `${api}/project/${one.id}`,
    id: one.id,
    key: one.key,
    name: one.name,
    projectTypeKey: "software",
    simplified: true,
    avatarUrls: avatars,
    lead: person(one.leadId),
  });

  const comment = (issue: Issue, { id, authorId, body, created }: Comment): object => ({
    self: `${api}/issue/${issue.id}/comment/${id}`,
    id,
    author: person(authorId),
    body,
    updateAuthor: person(authorId),
    created,
    updated: created,
  });

  const fieldsOf = (issue: Issue): Record<string, unknown> => {
    const home = world.projects.find(({ key }) => key === issue.projectKey);
    const category = categories[issue.status];
    return {
      summary: issue.summary,
      issuetype: issueType(issue.issueType),
      project: home === undefined ? null : project(home),
      status: {
        self: `${api}/status/1000${category.id}`,
        description: "",
        iconUrl: `${site}/images/icons/status.png`,
        name: issue.status,
        id: `1000${category.id}`,
        statusCategory: { self: `${api}/statuscategory/${category.id}`, ...category },
      },
      priority: {
        self: `${api}/priority/${priorities.indexOf(issue.priority) + 1}`,
        iconUrl: `${site}/images/icons/${issue.priority}.svg`,
        name: issue.priority,
        id: String(priorities.indexOf(issue.priority) + 1),
      },
      assignee: person(issue.assigneeId),
      reporter: person(issue.reporterId),
      labels: issue.labels,
      description: issue.description,
      created: issue.created,
      updated: issue.updated,
      duedate: null,
      resolution: null,
      customfield_10016: null,
      comment: {
        comments: issue.comments.map((one) => comment(issue, one)),
        self: `${api}/issue/${issue.id}/comment`,
        maxResults: issue.comments.length,
        total: issue.comments.length,
        startAt: 0,
      },
    };
  };

  return {
    issue: (issue, wanted) => {
      const all = fieldsOf(issue);
      const some = wanted?.filter((name) => name in all).map((name) => [name, all[name]] as const);
      return {
        expand: "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
        id: issue.id,
        self: `${api}/issue/${issue.id}`,
        key: issue.key,
        fields: some === undefined ? all : Object.fromEntries(some),
      };
    },
    comment,
    project,
    user,
  };
}
