import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { Statement, StatementInput, StatementObject } from "#contract/statement.ts";
import { plainTitle } from "#src/base/statement.ts";
import { pastOf } from "#src/base/tool-phrase.ts";
import { en } from "#src/base/words/en.ts";

import { changesElement, isChange } from "../change-data.ts";

/* What the changes of the bundled Sisense server do in a sentence. Each throws where the data does not fit. */

interface Said {
  verb: string;
  kind: string;
  /** Of the arguments: what the change acts on, and what follows it. */
  label: (args: JsonObject) => unknown;
  rest?: (args: JsonObject) => string;
  destructive?: boolean;
}

const text = (value: unknown): string => (typeof value === "string" ? plainTitle(value, 60) : "");
const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as JsonObject)[name] : undefined;

/** With whom something is shared: `“Finance” (view)`. */
function withWhom({ shares }: JsonObject): string {
  const all = z.array(
    z.looseObject({ name: z.string(), rule: z.string().optional(), permission: z.string().optional() }),
  );
  const said = all.parse(shares).map(({ name, rule, permission }) => {
    return `“${plainTitle(name, 60)}” (${(rule ?? permission ?? "view").toLowerCase()})`;
  });
  return `with ${said.slice(0, 3).join(", ")}${said.length > 3 ? ` and ${said.length - 3} more` : ""}`;
}

const SAID: Readonly<Record<string, Said>> = {
  "access.change_folder_and_dashboard_ownership": {
    verb: "Give the folder",
    kind: "folder",
    label: ({ folder_name: name }) => name,
    rest: ({ new_owner_name: owner }) => `to “${text(owner)}”`,
  },
  "access.create_schedule_build": {
    verb: "Schedule builds of",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
  },
  "access.create_user": {
    verb: "Create the user",
    kind: "user",
    label: ({ user_data: data }) => member(data, "email"),
  },
  "access.update_user": { verb: "Change the user", kind: "user", label: ({ user_name: name }) => name },
  "access.delete_user": {
    verb: "Delete the user",
    kind: "user",
    label: ({ user_name: name }) => name,
    destructive: true,
  },
  "dashboard.add_dashboard_script": {
    verb: "Write the script of dashboard",
    kind: "dashboard",
    label: ({ dashboard_id: id }) => id,
    destructive: true,
  },
  "dashboard.add_widget_script": {
    verb: "Write the script of widget",
    kind: "widget",
    label: ({ widget_id: id }) => id,
    destructive: true,
  },
  "dashboard.add_dashboard_shares": {
    verb: "Share the dashboard",
    kind: "dashboard",
    label: ({ dashboard_id: id }) => id,
    rest: withWhom,
  },
  "datamodel.add_datamodel_shares": {
    verb: "Share the data model",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
    rest: withWhom,
  },
  "datamodel.create_connections": {
    verb: "Create the connection",
    kind: "connection",
    label: ({ connection_payload: payload }) => member(payload, "name"),
  },
  "datamodel.create_datamodel": {
    verb: "Create the data model",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
  },
  "datamodel.create_dataset": {
    verb: "Add a dataset to",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
  },
  "datamodel.create_table": {
    verb: "Add the table",
    kind: "table",
    label: ({ table_name: name }) => name,
    rest: ({ datamodel_name: name }) => `to “${text(name)}”`,
  },
  "datamodel.deploy_datamodel": {
    verb: "Build the data model",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
  },
  "datamodel.setup_datamodel": {
    verb: "Set up the data model",
    kind: "data model",
    label: ({ datamodel_name: name }) => name,
  },
};

function changeStatement({ tool, args, preview }: StatementInput): Statement {
  const said = SAID[tool.name.replace("_", ".")] ?? SAID[tool.name];
  const label = text(said?.label(args));
  if (said === undefined || label === "") throw new Error(`${tool.name} says nothing of what it acts on`);
  const object: StatementObject = { kind: said.kind, title: label };
  const rest = said.rest?.(args);
  return {
    verb: said.verb,
    past: pastOf(said.verb),
    object,
    ...(rest === undefined ? {} : { rest }),
    changes:
      preview !== undefined && isChange(preview)
        ? changesElement(preview.before, preview.after, en).items
        : [],
    isDestructive: said.destructive === true,
  };
}

const STEPS = {
  create: "new",
  overwrite: "overwritten",
  duplicate: "duplicated",
  skip: "skipped",
  fail: "failing",
};
const LABELS = {
  create: "New",
  overwrite: "Overwritten",
  duplicate: "Duplicated",
  skip: "Skipped",
  fail: "Will fail",
};
type Step = keyof typeof STEPS;

const previewSchema = z.object({
  after: z.partialRecord(z.enum(["create", "overwrite", "duplicate", "skip", "fail"]), z.array(z.string())),
  meta: z.object({ kind: z.string(), source: z.string(), target: z.string(), total: z.number() }),
});

/** "Migrate 3 dashboards from eu.example to us.example: 2 new, 1 overwritten". */
function migrationStatement({ tool, args, preview }: StatementInput): Statement {
  const planned = preview === undefined ? undefined : previewSchema.parse(preview);
  const words = tool.name
    .replace(/^migration[._]migrate_/, "")
    .replaceAll("_", " ")
    .replace("datamodel", "data model");
  const isDestructive = planned === undefined ? args["action"] === "overwrite" : "overwrite" in planned.after;
  const about = { verb: "Migrate", past: "Migrated", isDestructive };
  if (planned === undefined) {
    const [names = []] = Object.values(args).filter((value) => Array.isArray(value));
    const amount = names.length > 0 ? `${names.length} ` : "";
    return { ...about, rest: `${amount}${words}`, changes: [] };
  }
  const { after, meta } = planned;
  const steps = Object.entries(after) as [Step, string[]][];
  const counts = steps.map(([step, names]) => `${names.length} ${STEPS[step]}`).join(", ");
  const kind = meta.total === 1 ? meta.kind.replace(/s$/, "") : meta.kind;
  return {
    ...about,
    rest: `${meta.total} ${kind} from ${text(meta.source)} to ${text(meta.target)}${counts === "" ? "" : `: ${counts}`}`,
    changes: steps.map(([step, names]) => ({
      label: LABELS[step],
      after: [
        ...names.slice(0, MOST_NAMES),
        ...(names.length > MOST_NAMES ? [`and ${names.length - MOST_NAMES} more`] : []),
      ].join(", "),
    })),
  };
}

const MOST_NAMES = 50;

/** Which arguments of a change its statement tells. */
const TOLD =
  "executing_user folder_name new_owner_name datamodel_name days hour minute user_name user_data shares script " +
  "dashboard_id widget_id connection_payload datamodel_type connection_name database_name schema_name dataset_name table_name " +
  "build_type tables build_behavior_config group_name_list user_name_list dashboard_ids dashboard_names datamodel_ids " +
  "datamodel_names source_dashboard_ids target_dashboard_ids batch_size sleep_time action";

/** By the names of tools, as the statements of all tools have them. */
export const SISENSE_STATEMENTS: ReadonlyMap<
  string,
  { of: (input: StatementInput) => Statement; tells: string }
> = new Map(
  [
    ...Object.keys(SAID),
    ..."groups all_groups users all_users dashboards all_dashboards dashboard_shares datamodels all_datamodels"
      .split(" ")
      .map((what) => `migration.migrate_${what}`),
  ].map((name) => [
    name,
    { of: name.startsWith("migration.") ? migrationStatement : changeStatement, tells: TOLD },
  ]),
);
