import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import { createBuiltinPlanner } from "#src/plan/builtin/planner.ts";
import { parsePlan } from "#src/plan/protocol.ts";

import { catalogueOf, makeTool, planInput } from "./tools.ts";

const planner = createBuiltinPlanner();

/** A function that only looks something up, by its arguments: `name*` is required. */
interface Looked {
  name: string;
  description: string;
  args: Record<string, JsonObject>;
}

const text = (description: string): JsonObject => ({ type: "string", description });
const whole = (description: string): JsonObject => ({ type: "integer", description });

function planned(message: string, { name, description, args }: Looked): unknown {
  const tool = makeTool("functions", {
    name,
    description,
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(args).map(([each, schema]) => [each.replace("*", ""), schema]),
      ),
      required: Object.keys(args).flatMap((each) => (each.endsWith("*") ? [each.replace("*", "")] : [])),
    },
  });
  const plan = parsePlan(planner.plan(planInput(message, [tool])).text, catalogueOf([tool]));
  const [first] = plan.ok ? plan.commands : [];
  return first === undefined || first.command === "ERROR" ? "asked" : first.args;
}

const shop: Looked = {
  name: "find_shop",
  description: "Find shops of a town.",
  args: {
    "town*": text("The town, such as Lisbon"),
    services: {
      type: "array",
      items: { type: "string", enum: ["Home Delivery", "Repairs", "Parking"] },
      description: "What it offers",
    },
    open_late: { type: "boolean", description: "Whether it is open late" },
    year: whole("The year of the list"),
  },
};
const area: Looked = {
  name: "triangle_area",
  description: "Area of a triangle.",
  args: {
    "base*": whole("Length of the base"),
    "height*": whole("Height of the triangle"),
    unit: text("The unit of the base and height. Default is 'cm'."),
  },
};
const score: Looked = {
  name: "game_score",
  description: "The score of a player in a game.",
  args: { "game*": text("The game"), "username*": text("Who plays"), platform: text("What it runs on") },
};
const court: Looked = {
  name: "court_cases",
  description: "Cases of a court.",
  args: { "county*": text("Where it was heard"), "company*": text("Whose case it was") },
};
const speed: Looked = {
  name: "calculate_speed",
  description: "Speed of what travels.",
  args: {
    "distance*": whole("How far, in meters"),
    "time*": whole("How long, in seconds"),
    to_unit: text("The unit of the result, default is m/s"),
  },
};
const clock: Looked = {
  name: "clock_angle",
  description: "Angle between the hands of a clock.",
  args: { "hours*": whole("The hour"), "minutes*": whole("The minutes") },
};
const air: Looked = {
  name: "air_quality",
  description: "Air quality of a town on a day.",
  args: { "city*": text("The city"), "date*": text("The day (month-day-year)") },
};
const report: Looked = {
  name: "company_report",
  description: "Report on a company.",
  args: {
    "company_name*": text("Name of the company"),
    "level*": text("How much of it. Can be 'summary' or 'detailed'."),
  },
};
const route: Looked = {
  name: "plan_route",
  description: "Plans a route.",
  args: {
    "start_city*": text("Where it starts"),
    "end_city*": text("Where it ends"),
    stops: { type: "array", items: { type: "string" }, description: "Cities to stop at" },
  },
};
const density: Looked = {
  name: "population_density",
  description: "Density of a population.",
  args: {
    "country*": text("The country"),
    "population*": whole("How many live there"),
    "land_area*": whole("Its area in square kilometers"),
  },
};

describe("functions that only look up", () => {
  it.each<[string, Looked, JsonObject]>([
    [
      "find a shop in Porto with home delivery and parking",
      shop,
      { town: "Porto", services: ["Home Delivery", "Parking"] },
    ],
    ["find shops in Porto that are not open late", shop, { town: "Porto", open_late: false }],
    [
      "area of a triangle with its base and height as 6cm and 10cm",
      area,
      { base: 6, height: 10, unit: "cm" },
    ],
    [
      "the score of the player 'Sam' in the game 'Ice Hill'",
      { ...score, args: { "game*": text("The game"), "player*": text("Who plays") } },
      { game: "Ice Hill", player: "Sam" },
    ],
    ["show the score for the user 'Sam' in 'Ice Hill'", score, { game: "Ice Hill", username: "Sam" }],
    ["cases of Acme in Salt Lake County", court, { county: "Salt Lake County", company: "Acme" }],
    ["speed in km/h for 450 meters in 20 seconds", speed, { distance: 450, time: 20, to_unit: "km/h" }],
    ["speed for 450 meters in 20 seconds", speed, { distance: 450, time: 20 }],
    ["angle of the clock at 6:30", clock, { hours: 6, minutes: 30 }],
    ["air quality in Lisbon on March.11, 2022", air, { city: "Lisbon", date: "03-11-2022" }],
    ["detailed report on the company Acme", report, { company_name: "Acme", level: "detailed" }],
    [
      "route from Porto to Faro with stops at Vila Nova and Setubal",
      route,
      { start_city: "Porto", end_city: "Faro", stops: ["Vila Nova", "Setubal"] },
    ],
    [
      "population density of Brazil with a population of 213 million and a land area of 8.5 million",
      density,
      { country: "Brazil", population: 213_000_000, land_area: 8_500_000 },
    ],
  ])("[llm.builtin] %s", (message, tool, args) => {
    expect(planned(message, tool)).toEqual(args);
  });

  it.each<[string, Looked]>([
    // A number that no argument takes.
    ["find a shop in Porto for 11 people", shop],
    // What is asked for is nothing that the tool tells.
    ["what is the circumference with a base of 3 and a height of 4", area],
    // Another value than the two that the description allows.
    ["secret report on the company Acme", report],
    // A quotation that has no place.
    ["show the score of 'Sam' and 'Kim' in the game 'Ice Hill' for user 'Lee'", score],
  ])("[llm.builtin] offers as a form what is understood by half: %s", (message, tool) => {
    expect(planned(message, tool)).toBe("asked");
  });
});
