import type { LinkType } from "../backend.ts";
import type { StatusCategory } from "../model.ts";

/** What the demo store keeps on disk. People are ids; times are ISO 8601. */
export interface DemoState {
  version: 1;
  people: Record<string, string>;
  projects: { key: string; name: string; lead: string; nextNumber: number }[];
  types: string[];
  /** Highest first. */
  priorities: string[];
  statuses: { name: string; category: StatusCategory }[];
  linkTypes: LinkType[];
  issues: DemoIssue[];
  links: DemoLink[];
  nextCommentId: number;
}

export interface DemoIssue {
  key: string;
  project: string;
  type: string;
  summary: string;
  status: string;
  priority: string;
  assignee: string | null;
  reporter: string;
  labels: string[];
  epic: string | null;
  created: string;
  updated: string;
  due: string | null;
  description: string;
  comments: { id: string; author: string; created: string; body: string }[];
  history: { at: string; author: string; field: string; from: string | null; to: string | null }[];
}

/** `from` is the outward end: from blocks to. */
export interface DemoLink {
  type: string;
  from: string;
  to: string;
}
