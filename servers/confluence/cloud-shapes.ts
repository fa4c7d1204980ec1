import { z } from "zod";

/**
 * The parts that are read of answers of the Confluence Cloud REST API, version 2.
 * https://developer.atlassian.com/cloud/confluence/rest/v2/
 */
interface Version {
  createdAt: string;
  number: number;
  authorId?: string | null | undefined;
}

interface Body {
  atlas_doc_format?: { value: string } | undefined;
}

interface Links {
  webui?: string | undefined;
  base?: string | undefined;
}

export interface CloudPage {
  id: string;
  title: string;
  spaceId: string;
  parentId?: string | null | undefined;
  parentType?: string | null | undefined;
  authorId?: string | null | undefined;
  createdAt: string;
  version: Version;
  /** Without content unless `body-format` was asked for. */
  body?: Body | null | undefined;
  labels?: { results: { name: string }[] } | undefined;
  _links?: Links | undefined;
}

export interface CloudChild {
  id: string;
  title: string;
  type?: string | undefined;
}

export interface CloudComment {
  id: string;
  version: Version;
  body?: Body | null | undefined;
  _links?: Links | undefined;
}

export interface CloudUsers {
  results: {
    accountId: string;
    displayName?: string | null | undefined;
    publicName?: string | null | undefined;
  }[];
}

const version = z.object({
  createdAt: z.string(),
  number: z.number(),
  authorId: z.string().nullish(),
});

const body = z.object({ atlas_doc_format: z.object({ value: z.string() }).optional() }).nullish();

const links = z.object({ webui: z.string().optional(), base: z.string().optional() }).optional();

export const cloudPage: z.ZodType<CloudPage> = z.object({
  id: z.string(),
  title: z.string(),
  spaceId: z.string(),
  parentId: z.string().nullish(),
  parentType: z.string().nullish(),
  authorId: z.string().nullish(),
  createdAt: z.string(),
  version,
  body,
  labels: z.object({ results: z.array(z.object({ name: z.string() })) }).optional(),
  _links: links,
});

export const cloudChild: z.ZodType<CloudChild> = z.object({
  id: z.string(),
  title: z.string(),
  type: z.string().optional(),
});

export const cloudComment: z.ZodType<CloudComment> = z.object({
  id: z.string(),
  version,
  body,
  _links: links,
});

export const cloudUsers: z.ZodType<CloudUsers> = z.object({
  results: z.array(
    z.object({
      accountId: z.string(),
      displayName: z.string().nullish(),
      publicName: z.string().nullish(),
    }),
  ),
});
