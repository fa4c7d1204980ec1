import { z } from "zod";

import type { JsonObject, JsonValue } from "#contract/json.ts";
import type { Statement, StatementChange, StatementInput, StatementObject } from "#contract/statement.ts";
import { isMeant } from "#src/base/fixed-arguments.ts";
import { isObject } from "#src/base/json.ts";
import { argumentText } from "#src/base/plain-statement.ts";
import { plainTitle } from "#src/base/statement.ts";
import { oneLine } from "#src/base/text.ts";
import { pastOf } from "#src/base/tool-phrase.ts";
import { humanise } from "#src/base/tool-words.ts";
import { en } from "#src/base/words/en.ts";

import { changesElement, isChange } from "../change-data.ts";

/* What the changes of the bundled Sisense server do in a sentence. Each throws where the data does not fit. */

interface Said {
  verb: string;
  kind: string;
  /** The argument that names what the change acts on, also one within another: `user_data.email`. */
  of: string;
  /** The argument that names who or what it goes to. */
  to?: string;
  /** It says with whom its `shares` are. */
  shares?: boolean;
  destructive?: boolean;
}

const MOST_CHARS = 60;
const text = (value: unknown): string => (typeof value === "string" ? plainTitle(value, MOST_CHARS) : "");
const at = (args: JsonObject, path: string): JsonValue | undefined => {
  const [name = "", inner] = path.split(".");
  const value = args[name];
  return inner === undefined ? value : isObject(value) ? value[inner] : undefined;
};

const MOST_SHARES = 3;
const sharesSchema = z.array(
  z.strictObject({
    name: z.string(),
    type: z.string().optional(),
    rule: z.string().optional(),
    permission: z.string().optional(),
  }),
);

/** With whom something is shared: `with the group “Finance” (view)`. */
function withWhom(shares: z.infer<typeof sharesSchema>): string {
  const said = shares.map(({ name, type, rule, permission }) => {
    const kind = type === undefined ? "" : `the ${text(type)} `;
    return `${kind}“${text(name)}” (${(rule ?? permission ?? "view").toLowerCase()})`;
  });
  const more = said.length - MOST_SHARES;
  return `with ${said.slice(0, MOST_SHARES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const SAID: Readonly<Record<string, Said>> = {
  "access.change_folder_and_dashboard_ownership": {
    verb: "Give the folder",
    kind: "folder",
    of: "folder_name",
    to: "new_owner_name",
  },
  "access.create_schedule_build": {
    verb: "Schedule builds of",
    kind: "data model",
    of: "datamodel_name",
  },
  "access.create_user": {
    verb: "Create the user",
    kind: "user",
    of: "user_data.email",
  },
  "access.update_user": { verb: "Change the user", kind: "user", of: "user_name" },
  "access.delete_user": {
    verb: "Delete the user",
    kind: "user",
    of: "user_name",
    destructive: true,
  },
  "dashboard.add_dashboard_script": {
    verb: "Write the script of dashboard",
    kind: "dashboard",
    of: "dashboard_id",
    destructive: true,
  },
  "dashboard.add_widget_script": {
    verb: "Write the script of widget",
    kind: "widget",
    of: "widget_id",
    destructive: true,
  },
  "dashboard.add_dashboard_shares": {
    verb: "Share the dashboard",
    kind: "dashboard",
    of: "dashboard_id",
    shares: true,
  },
  "datamodel.add_datamodel_shares": {
    verb: "Share the data model",
    kind: "data model",
    of: "datamodel_name",
    shares: true,
  },
  "datamodel.create_connections": {
    verb: "Create the connection",
    kind: "connection",
    of: "connection_payload.name",
  },
  "datamodel.create_datamodel": {
    verb: "Create the data model",
    kind: "data model",
    of: "datamodel_name",
  },
  "datamodel.create_dataset": {
    verb: "Add a dataset to",
    kind: "data model",
    of: "datamodel_name",
  },
  "datamodel.create_table": {
    verb: "Add the table",
    kind: "table",
    of: "table_name",
    to: "datamodel_name",
  },
  "datamodel.deploy_datamodel": {
    verb: "Build the data model",
    kind: "data model",
    of: "datamodel_name",
  },
  "datamodel.setup_datamodel": {
    verb: "Set up the data model",
    kind: "data model",
    of: "datamodel_name",
  },
};

function changeStatement(input: StatementInput): Statement {
  const { tool, args, preview } = input;
  const said = SAID[tool.name.replace("_", ".")] ?? SAID[tool.name];
  const label = text(said && at(args, said.of));
  if (said === undefined || label === "") throw new Error(`${tool.name} says nothing of what it acts on`);
  const object: StatementObject = { kind: said.kind, title: label };
  const shares = said.shares === true ? sharesSchema.parse(args["shares"]) : [];
  const rest = said.to === undefined ? "" : `to “${text(at(args, said.to))}”`;
  // What the sentence has cut stands whole beside it.
  const told = [said.of, ...(said.to === undefined ? [] : [said.to])].filter((path) =>
    isWhole(at(args, path)),
  );
  if (
    shares.length > 0 &&
    shares.length <= MOST_SHARES &&
    shares.every((one) => Object.values(one).every(isWhole))
  )
    told.push("shares");
  const change = preview !== undefined && isChange(preview) ? preview : undefined;
  return {
    verb: said.verb,
    past: pastOf(said.verb),
    object,
    ...(rest === "" && shares.length === 0 ? {} : { rest: rest || withWhom(shares) }),
    changes: [
      ...(change === undefined ? [] : changesElement(change.before, change.after, en).items),
      ...untold(input, told, (name, value) => isShown(name, value, change?.after ?? {})),
    ],
    isDestructive: said.destructive === true,
  };
}

const isWhole = (value: unknown): boolean => text(value) === value;

/** Arguments whose members are told one by one. */
const SPREAD: ReadonlySet<string> = new Set(["user_data", "connection_payload"]);

/** What is sent and stands neither in the sentence nor with that which the dry run says. */
function untold(
  { tool, args }: StatementInput,
  told: readonly string[],
  isThere: (name: string, value: JsonValue) => boolean,
): StatementChange[] {
  const isTold = (path: string, name: string, value: JsonValue): boolean =>
    told.includes(path) || isMeant(name, value) || isThere(name, value);
  return Object.entries(args).flatMap(([name, value]): StatementChange[] => {
    if (name === "dry_run") return [];
    if (SPREAD.has(name) && isObject(value))
      return Object.entries(value)
        .filter(([inner, one]) => !isTold(`${name}.${inner}`, inner, one))
        .map(([inner, one]) => ({ label: humanise(oneLine(inner, 80)), after: withoutSecrets(inner, one) }));
    return isTold(name, name, value) ? [] : [{ label: argumentText(tool, name), after: value }];
  });
}

/** Whether a dry run tells of an argument: by its name, as in `dataset` for `dataset_name`; of lists all of it. */
function isShown(name: string, value: JsonValue, after: JsonObject): boolean {
  const plain = (text_: string): string => text_.toLowerCase().replaceAll("_", "");
  const names = [name, name.replace(/_name$/, ""), name.replace(/^datamodel_/, "")].map(plain);
  const shown = Object.entries(after).find(([key]) => names.includes(plain(key)));
  if (shown === undefined) return false;
  const whole = JSON.stringify(shown[1]);
  const holds = (one: JsonValue): boolean =>
    typeof one === "object" && one !== null
      ? Object.values(one).every(holds)
      : whole.includes(JSON.stringify(one).replaceAll(/^"|"$/g, ""));
  const isDeep =
    typeof value === "object" &&
    value !== null &&
    Object.values(value).some((one) => typeof one === "object");
  return !isDeep || holds(value);
}

const SECRET = /pass|pwd|secret|token|key|auth|credential/i;

/** What opens a source of data is said to be set, also within a text such as `Server=a;Password=b`. */
function withoutSecrets(name: string, value: JsonValue): JsonValue {
  if (SECRET.test(name)) return "set";
  if (typeof value === "string")
    return value.replaceAll(/([\w ]*(?:pass|pwd|secret|token|key|auth|credential)\w*\s*=)[^;&]*/gi, "$1…");
  if (Array.isArray(value)) return value.map((one) => withoutSecrets("", one));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, one]) => [inner, withoutSecrets(inner, one)]));
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
function migrationStatement(input: StatementInput): Statement {
  const { tool, args, preview } = input;
  const planned = preview === undefined ? undefined : previewSchema.parse(preview);
  const words = tool.name
    .replace(/^migration[._]migrate_/, "")
    .replaceAll("_", " ")
    .replace("datamodel", "data model");
  const isDestructive = planned === undefined ? args["action"] === "overwrite" : "overwrite" in planned.after;
  // One that was stopped, or had something that failed, has not migrated all of it.
  const about = { verb: "Migrate", past: "Ran the migration of", isDestructive };
  if (planned === undefined) {
    const names = Object.entries(args).find(
      ([name, value]) => LISTED.test(name) && Array.isArray(value),
    )?.[1];
    const amount = Array.isArray(names) && names.length > 0 ? `${names.length} ` : "";
    return { ...about, rest: `${amount}${words}`, changes: untold(input, [], () => false) };
  }
  const { after, meta } = planned;
  const steps = Object.entries(after) as [Step, string[]][];
  const counts = steps.map(([step, names]) => `${names.length} ${STEPS[step]}`).join(", ");
  const kind = meta.total === 1 ? meta.kind.replace(/s$/, "") : meta.kind;
  const named = steps.flatMap(([, names]) => names.slice(0, MOST_NAMES));
  // "Orders", "Orders as Orders (Duplicate)", "Orders (at the target already)"
  const isNamed = (text_: JsonValue): boolean =>
    named.some(
      (name) =>
        typeof text_ === "string" &&
        (name === text_ || [" as ", " ("].some((next) => name.startsWith(`${text_}${next}`))),
    );
  const whole = `${meta.total} ${kind} from ${text(meta.source)} to ${text(meta.target)}`;
  return {
    ...about,
    rest: counts === "" ? whole : `${whole}: ${counts}`,
    doneRest: whole,
    changes: [
      ...steps.map(([step, names]) => ({
        label: LABELS[step],
        after: [
          ...names.slice(0, MOST_NAMES),
          ...(names.length > MOST_NAMES ? [`and ${names.length - MOST_NAMES} more`] : []),
        ].join(", "),
      })),
      ...untold(
        input,
        [],
        (name, value) => LISTED.test(name) && Array.isArray(value) && value.every(isNamed),
      ),
    ],
  };
}

const MOST_NAMES = 50;
/** Arguments that name what is migrated. */
const LISTED = /_(?:ids|names|name_list)$/;

/** By the names of tools, as the statements of all tools have them. */
export const SISENSE_STATEMENTS: ReadonlyMap<string, { of: (input: StatementInput) => Statement }> = new Map(
  [
    ...Object.keys(SAID),
    ..."groups all_groups users all_users dashboards all_dashboards dashboard_shares datamodels all_datamodels"
      .split(" ")
      .map((what) => `migration.migrate_${what}`),
  ].map((name) => [name, { of: name.startsWith("migration.") ? migrationStatement : changeStatement }]),
);
