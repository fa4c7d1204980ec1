import { expect, it } from "vitest";

import { lint } from "./lint.ts";

it("the linter bites on what this house does not want", async () => {
  const found = await lint({
    "src/plan/any.ts": "export const x = (value: any): number => value as number;\n",
    "src/plan/default.ts": "export default 1;\n",
    "src/plan/console.ts": 'export const say = (): void => console.log("x");\n',
    "src/plan/barrel.ts": 'export * from "./one.ts";\n',
    "src/plan/one.ts": 'import { two } from "./two.ts";\n\nexport const one: number = two;\n',
    "src/plan/two.ts": 'import { one } from "./one.ts";\n\nexport const two: number = one;\n',
    "src/plan/three.ts": 'import type { Four } from "./four.ts";\n\nexport type Three = Four;\n',
    "src/plan/four.ts": 'import type { Three } from "./three.ts";\n\nexport type Four = Three | 4;\n',
    "src/plan/bang.ts": "export const x = (value: string | undefined): string => value!;\n",
    "src/plan/type-import.ts": 'import { One } from "./types.ts";\n\nexport const x: One = 1;\n',
    "src/plan/types.ts": "export type One = 1;\n",
    "test/unit/x.test.ts": 'import { it } from "vitest";\n\nit("proves nothing", () => undefined);\n',
    "app/main.ts": 'console.log("started");\n',
    "some.config.ts": "export default {};\n",
  });
  const codes = Object.fromEntries([...found].map(([file, set]) => [file, [...set]]));
  expect(codes).toMatchObject({
    "src/plan/any.ts": ["typescript(no-explicit-any)"],
    "src/plan/default.ts": ["import(no-default-export)"],
    "src/plan/console.ts": ["eslint(no-console)"],
    "src/plan/barrel.ts": ["oxc(no-barrel-file)"],
    "src/plan/one.ts": ["import(no-cycle)"],
    "src/plan/three.ts": ["import(no-cycle)"],
    "src/plan/bang.ts": ["typescript(no-non-null-assertion)"],
    "src/plan/type-import.ts": ["typescript(consistent-type-imports)"],
    "test/unit/x.test.ts": ["vitest(expect-expect)"],
  });
  expect(found.has("app/main.ts")).toBe(false);
  expect(found.has("some.config.ts")).toBe(false);
});

it("the type-aware rules run", async () => {
  const found = await lint(
    {
      "src/plan/floating.ts": "export function start(work: () => Promise<void>): void {\n  work();\n}\n",
      "src/plan/misused.ts":
        "export function all(items: number[], work: (item: number) => Promise<void>): void {\n  items.forEach(work);\n}\n",
      "src/plan/kept.ts":
        "export async function start(work: () => Promise<void>): Promise<void> {\n  await work();\n}\n",
    },
    "--type-aware",
  );
  expect(found.get("src/plan/floating.ts")).toContain("typescript(no-floating-promises)");
  expect(found.get("src/plan/misused.ts")).toContain("typescript(no-misused-promises)");
  expect(found.has("src/plan/kept.ts")).toBe(false);
});
