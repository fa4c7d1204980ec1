import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { toTool } from "#src/mcp/catalogue/catalogue.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { catalogueOf, listedTools, makeTool, objectSchema, pastTurn, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();

function planned(
  message: string,
  tools: Tool[],
  examples: { message: string; tool: string; args: JsonObject }[] = [],
): unknown[] {
  const plan = parsePlan(planner.plan(planInput(message, tools, { examples })).text, catalogueOf(tools));
  if (!plan.ok) return [plan.fault.question?.tool, plan.fault.question?.fields];
  return plan.commands.map((each) => (each.command === "ERROR" ? "refused" : [each.tool, each.args]));
}

describe("catalogues that the planner has never seen", () => {
  const files = [...listedTools("everything"), ...listedTools("filesystem")];

  it.each<[string, unknown[]]>([
    ["echo hello world", [["everything.echo", { message: "hello world" }]]],
    ['echo "hi there"', [["everything.echo", { message: "hi there" }]]],
    ["what is the sum of 2 and 3", [["everything.get-sum", { a: 2, b: 3 }]]],
    ["show me the environment variables", [["everything.get-env", {}]]],
    ["show me the tiny image", [["everything.get-tiny-image", {}]]],
    ["structured content for chicago", [["everything.get-structured-content", { location: "Chicago" }]]],
    [
      "annotated message of type error with image",
      [["everything.get-annotated-message", { messageType: "error", includeImage: true }]],
    ],
    ["get 4 resource links", [["everything.get-resource-links", { count: 4 }]]],
    ["toggle simulated logging", [["everything.toggle-simulated-logging", {}]]],
    [
      "trigger long running operation for 5 seconds with 2 steps",
      [["everything.trigger-long-running-operation", { duration: 5, steps: 2 }]],
    ],
    [
      "show the first 10 lines of /tmp/notes.txt",
      [["filesystem.read_text_file", { path: "/tmp/notes.txt", head: 10 }]],
    ],
    [
      "read /tmp/a.txt and /tmp/b.txt",
      [["filesystem.read_multiple_files", { paths: ["/tmp/a.txt", "/tmp/b.txt"] }]],
    ],
    ["list the directory /tmp", [["filesystem.list_directory", { path: "/tmp" }]]],
    [
      "list directory with sizes of /tmp sorted by size",
      [["filesystem.list_directory_with_sizes", { path: "/tmp", sortBy: "size" }]],
    ],
    ["which directories are allowed?", [["filesystem.list_allowed_directories", {}]]],
    ["create a directory /tmp/new", [["filesystem.create_directory", { path: "/tmp/new" }]]],
    ['write "hello" to /tmp/x.txt', [["filesystem.write_file", { path: "/tmp/x.txt", content: "hello" }]]],
    [
      "move /tmp/a.txt to /tmp/b.txt",
      [["filesystem.move_file", { source: "/tmp/a.txt", destination: "/tmp/b.txt" }]],
    ],
    ["search for *.md in /tmp", [["filesystem.search_files", { path: "/tmp", pattern: "*.md" }]]],
    ["delete /tmp/a.txt", ["refused"]],
    ["what's the weather", ["refused"]],
    ["create a directory", ["filesystem.create_directory", ["path"]]],
  ])("[llm.builtin] plans with two public servers: %s", (message, expected) => {
    expect(planned(message, files)).toEqual(expected);
  });

  const nouns = "customer invoice shipment warehouse contract employee machine sensor lesson recipe".split(
    " ",
  );
  const teams = "north south east west central".split(" ");
  const key = { type: "string", description: "Its id" };
  const many = teams.flatMap((team) =>
    nouns.flatMap((noun) =>
      ["get", "list", "search", "create", "update", "delete", "archive", "approve", "export", "print"].map(
        (verb) => {
          const id = { [`${noun}_id`]: key };
          const properties: JsonObject =
            verb === "search"
              ? { query: { type: "string" } }
              : verb === "create"
                ? { name: { type: "string" } }
                : verb === "list" || verb === "export"
                  ? {}
                  : id;
          const readOnlyHint = ["get", "list", "search", "export", "print"].includes(verb);
          return makeTool(team, {
            name: `${verb}_${noun}`,
            description: `${verb} a ${noun} of the ${team} region.`,
            inputSchema: objectSchema(properties, Object.keys(properties)),
            annotations: { readOnlyHint },
          });
        },
      ),
    ),
  );

  it.each<[string, unknown[]]>([
    ["show invoice 4711 of the north", [["north.get_invoice", { invoice_id: "4711" }]]],
    ["search recipes in the west about apple pie", [["west.search_recipe", { query: "apple pie" }]]],
    [
      "create a machine in the central region called 'Press 7'",
      [["central.create_machine", { name: "Press 7" }]],
    ],
    ["archive contract 12 in the east", [["east.archive_contract", { contract_id: "12" }]]],
    ["delete south sensor 99", [["south.delete_sensor", { sensor_id: "99" }]]],
    ["sing me a song", ["refused"]],
  ])("[llm.builtin] finds one of 500 tools: %s", (message, expected) => {
    expect(many).toHaveLength(500);
    expect(planned(message, many)).toEqual(expected);
  });

  it("[llm.builtin] learns words from the configured examples", () => {
    const tools = [
      makeTool("hr", {
        name: "get_absence_balance",
        description: "Days left.",
        inputSchema: objectSchema({}),
        annotations: { readOnlyHint: true },
      }),
      makeTool("hr", {
        name: "get_payslip",
        description: "A payslip.",
        inputSchema: objectSchema({}),
        annotations: { readOnlyHint: true },
      }),
    ];
    const message = "how much vacation is left for me";
    expect(planned(message, tools)).toEqual(["refused"]);
    const examples = [
      { message: "how much vacation do i have left", tool: "hr.get_absence_balance", args: {} },
    ];
    expect(planned(message, tools, examples)).toEqual([["hr.get_absence_balance", {}]]);
  });
});

describe("what is said behind a look at one thing of a server", () => {
  const name = objectSchema({ model_name: { type: "string" } }, ["model_name"]);
  const annotations = { readOnlyHint: true };
  const tools = [
    makeTool("bi", {
      name: "get_users_all",
      description: "All users.",
      inputSchema: objectSchema({}),
      annotations,
    }),
    makeTool("bi", {
      name: "run_full_check",
      description: "Runs every check.",
      inputSchema: objectSchema({}),
      annotations,
    }),
    makeTool("bi", {
      name: "get_model_schema",
      description: "The schema of a model.",
      inputSchema: name,
      annotations,
    }),
  ];
  const history = [
    pastTurn("describe the model Foo", {
      calls: [{ tool: "bi.get_model_schema", args: { model_name: "Foo" }, derived: false }],
      question: { tool: "bi.get_model_schema", args: { model_name: "Foo" }, fields: ["model_name"] },
    }),
  ];

  it.each([
    ["list the users", "bi.get_users_all", {}],
    ["run a full check", "bi.run_full_check", {}],
    ["Sales", "bi.get_model_schema", { model_name: "Sales" }],
  ])("[llm.builtin] %s", (message, tool, args) => {
    const plan = parsePlan(planner.plan(planInput(message, tools, { history })).text, catalogueOf(tools));
    expect(plan).toMatchObject({ ok: true, commands: [{ tool, args }] });
  });
});

describe("sentences that a server gives with its tools", () => {
  const read = (
    name: string,
    said: string,
    args: JsonObject,
    more: Partial<Parameters<typeof toTool>[2]> = {},
  ): Tool => {
    const properties = Object.fromEntries(
      Object.entries(args).map(([each, value]) => [
        each,
        { type: Array.isArray(value) ? "array" : "string" },
      ]),
    );
    const inputSchema = { type: "object" as const, properties, required: Object.keys(args) };
    const _meta = { examples: [{ user_query: said, arguments: args }] };
    return toTool("bi", true, { name, inputSchema, annotations: { readOnlyHint: true }, _meta, ...more });
  };
  const tools = [
    read("users_per_group", "who is in Finance?", { group_name: "Finance" }),
    read("dashboard_share", "who can see Weekly Sales?", { dashboard_name: "Weekly Sales" }),
    read("all_datamodels", "list the data models", {}),
    read("datamodel", "show the data model Orders", { datamodel_name: "Orders" }),
    read("rows", "show the rows of orders in Orders", { table: "orders", datamodel_name: "Orders" }),
    read("move_everything", "migrate all dashboards", {}, { annotations: { readOnlyHint: false } }),
    read(
      "move_groups",
      "migrate the groups Finance and Data",
      { group_name_list: ["Finance", "Data"] },
      { annotations: { readOnlyHint: false } },
    ),
    read(
      "delete_user",
      "delete the user ben",
      { user_name: "ben" },
      { annotations: { readOnlyHint: false } },
    ),
  ];

  it.each<[string, unknown[]]>([
    ["who is in Finance?", [["bi.users_per_group", { group_name: "Finance" }]]],
    [
      "please tell me who is in the group Human Resources",
      [["bi.users_per_group", { group_name: "Human Resources" }]],
    ],
    ["Who is in the Finance group", [["bi.users_per_group", { group_name: "Finance" }]]],
    ['who can see "Everything in One"?', [["bi.dashboard_share", { dashboard_name: "Everything in One" }]]],
    ["who can see the dashboard Weekly Sales", [["bi.dashboard_share", { dashboard_name: "Weekly Sales" }]]],
    ["list all data models", [["bi.all_datamodels", {}]]],
    ["show me data models", [["bi.all_datamodels", {}]]],
    ["show the data model Web", [["bi.datamodel", { datamodel_name: "Web" }]]],
    ["show the rows of visits in Web", [["bi.rows", { table: "visits", datamodel_name: "Web" }]]],
    ["migrate all dashboards", [["bi.move_everything", {}]]],
    [
      "migrate the groups Human Resources, Data and Sales",
      [["bi.move_groups", { group_name_list: ["Human Resources", "Data", "Sales"] }]],
    ],
    ["delete the user zoe@shop.example", [["bi.delete_user", { user_name: "zoe@shop.example" }]]],
  ])("[llm.builtin] %s", (message, expected) => {
    expect(planned(message, tools)).toEqual(expected);
  });

  it.each([
    "who is in Finance and who can see Weekly Sales",
    "who is in Finance or Sales",
    "don't migrate all dashboards",
    "migrate dashboards",
    "migrate the groups Finance and the ones of Ben",
    "delete the user ben as soon as he has left",
    "if they are old, migrate all dashboards",
  ])("[llm.builtin] is no more than it says: %s", (message) => {
    const calls = planned(message, tools);
    expect(JSON.stringify(calls)).not.toMatch(/move_everything|Finance (?:and|or)|ones|he has/);
  });

  it("[llm.builtin] counts of servers that the operator trusts alone, and in no other form", () => {
    const listed = { name: "x", inputSchema: { type: "object" as const } };
    const _meta = { examples: [{ user_query: "list my tickets", arguments: {} }, { user_query: 3 }, "no"] };
    expect(toTool("bi", false, { ...listed, _meta }).examples).toBeUndefined();
    expect(toTool("bi", true, { ...listed, _meta }).examples).toEqual([
      { message: "list my tickets", args: {} },
    ]);
    expect(toTool("bi", true, { ...listed, _meta: { examples: "no" } }).examples).toBeUndefined();
  });

  it("[llm.builtin] signs in an example are no pattern of ours", () => {
    const odd = [read("odd", "what (is) [this].* x+ Finance", { name: "Finance" })];
    expect(planned("what (is) [this].* x+ Sales", odd)).toEqual([["bi.odd", { name: "Sales" }]]);
    expect(planned("what iss thisss xx Sales", odd)).not.toEqual([["bi.odd", { name: "Sales" }]]);
  });
});
