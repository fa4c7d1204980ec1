/** What a small Jira Cloud site holds. Everything can be changed, and stays changed. */
export interface World {
  users: User[];
  projects: Project[];
  issues: Issue[];
  /** Counts up for comments, and for issues within a project. */
  nextId: number;
}

export interface User {
  accountId: string;
  displayName: string;
  emailAddress: string;
}

export interface Project {
  id: string;
  key: string;
  name: string;
  leadId: string;
  issueTypes: string[];
}

export interface Issue {
  id: string;
  key: string;
  projectKey: string;
  issueType: string;
  summary: string;
  /** A document of Atlassian's format, as it was sent. */
  description: unknown;
  status: StatusName;
  priority: string;
  assigneeId: string | null;
  reporterId: string;
  labels: string[];
  created: string;
  updated: string;
  comments: Comment[];
}

export interface Comment {
  id: string;
  authorId: string;
  body: unknown;
  created: string;
}

export type StatusName = "To Do" | "In Progress" | "Done";

/** Status to its category: key and name, as Jira names them. */
export const categories: Record<StatusName, { id: number; key: string; name: string; colorName: string }> = {
  "To Do": { id: 2, key: "new", name: "To Do", colorName: "blue-gray" },
  "In Progress": { id: 4, key: "indeterminate", name: "In Progress", colorName: "yellow" },
  Done: { id: 3, key: "done", name: "Done", colorName: "green" },
};

/** Any status can be reached from any other, as in Jira's simplified workflow. */
export const transitions: readonly { id: string; name: string; to: StatusName }[] = [
  { id: "11", name: "To Do", to: "To Do" },
  { id: "21", name: "In Progress", to: "In Progress" },
  { id: "31", name: "Done", to: "Done" },
];

export const priorities: readonly string[] = ["Highest", "High", "Medium", "Low", "Lowest"];

export function paragraph(text: string): unknown {
  return {
    type: "doc",
    version: 1,
    content: [{ type: "paragraph", content: [{ type: "text", text }] }],
  };
}

const ana = "5b10ac8d82e05b22cc7d4ef5";
const ben = "5b109f2e9729b51b54dc274d";

/** The first user is the one whose token the fake takes. */
export function createWorld(): World {
  const issue = (number: number, summary: string, more: Partial<Issue> = {}): Issue => ({
    id: String(10_000 + number),
    key: `SHOP-${number}`,
    projectKey: "SHOP",
    issueType: "Task",
    summary,
    description: null,
    status: "To Do",
    priority: "Medium",
    assigneeId: null,
    reporterId: ana,
    labels: [],
    created: `2026-11-0${number}T09:00:00.000+0000`,
    updated: `2026-11-1${number}T10:30:00.000+0000`,
    comments: [],
    ...more,
  });
  return {
    nextId: 20_000,
    users: [
      { accountId: ana, displayName: "Ana Lindqvist", emailAddress: "ana@shop.example" },
      { accountId: ben, displayName: "Ben Okafor", emailAddress: "ben@shop.example" },
    ],
    projects: [
      { id: "10000", key: "SHOP", name: "Shop", leadId: ana, issueTypes: ["Task", "Bug", "Story"] },
      { id: "10001", key: "OPS", name: "Operations", leadId: ben, issueTypes: ["Task"] },
    ],
    issues: [
      issue(1, "Checkout loses the basket after login", {
        issueType: "Bug",
        status: "In Progress",
        priority: "High",
        assigneeId: ben,
        labels: ["checkout", "login"],
        description: paragraph("The basket is empty after a guest signs in."),
        comments: [
          {
            id: "10901",
            authorId: ben,
            body: paragraph("Seen in the shop of last week as well."),
            created: "2026-11-12T08:15:00.000+0000",
          },
        ],
      }),
      issue(2, "Print a receipt with every order"),
      issue(3, "Translate the order mails", { status: "Done", priority: "Low", assigneeId: ana }),
    ],
  };
}
