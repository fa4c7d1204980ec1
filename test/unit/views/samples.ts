import type { JsonObject } from "#contract/json.ts";

/** Results in the form of the bundled servers. */
export const summary: JsonObject = {
  key: "DEMO-1",
  summary: "Login fails after password reset",
  type: "Bug",
  status: "In Progress",
  status_category: "in_progress",
  priority: "High",
  assignee: { id: "ana", name: "Ana Lindqvist" },
  updated: "2026-11-20T09:30:00Z",
  url: "https://jira.example.com/browse/DEMO-1",
};

export const issue: JsonObject = {
  ...summary,
  project: { key: "DEMO", name: "Demo Shop" },
  reporter: { id: "ben", name: "Ben Okafor" },
  labels: ["auth", "customer"],
  epic: { key: "DEMO-10", summary: "Checkout redesign" },
  created: "2026-11-01T08:00:00.000+0100",
  due_date: "2026-11-30",
  description: "## Steps\n\n1. Reset\n2. Log in",
  links: [
    {
      type: "blocks",
      key: "OPS-4",
      summary: "Release 2.3",
      status: "To Do",
      url: "https://jira.example.com/browse/OPS-4",
    },
  ],
  comments: [1, 2, 3, 4].map((day) => ({
    id: `c${day}`,
    author: { id: "emi", name: "Emi Tanaka" },
    created: `2026-11-0${day}T10:00:00Z`,
    body: `Comment *${day}*`,
  })),
  history: [
    {
      at: "2026-11-02T10:00:00Z",
      author: { id: "ben", name: "Ben Okafor" },
      field: "status",
      from: "To Do",
      to: "In Progress",
    },
  ],
};

export const page: JsonObject = {
  id: "1001",
  title: "Deploying the shop",
  space: { key: "ENG", name: "Engineering Handbook" },
  updated: "2026-10-02T12:00:00Z",
  updated_by: { id: "chloe", name: "Chloé Martin" },
  url: "https://wiki.example.com/spaces/ENG/pages/1001",
  excerpt: "How we @@@hl@@@deploy@@@endhl@@@ every day.",
};

export const wholePage: JsonObject = {
  ...page,
  version: 4,
  created: "2026-01-02T12:00:00Z",
  created_by: { id: "dmitri", name: "Dmitri Sokolov" },
  parent: { id: "1000", title: "Handbook" },
  children: [{ id: "1002", title: "Rolling back", url: "https://wiki.example.com/spaces/ENG/pages/1002" }],
  labels: ["release"],
  body: "# Deploying\n\nPush the button.",
  comments: [{ id: "p1", author: null, created: "2026-10-03T08:00:00Z", body: "Which button?" }],
};
