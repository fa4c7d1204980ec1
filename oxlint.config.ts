import { posix } from "node:path";

import type { OxlintConfig, OxlintOverride } from "oxlint";

/** Each room and the rooms it may import beside itself; only `app` knows them all. Arrows run up this list. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  "src/contract": [],
  "src/base": ["src/contract"],
  "src/settings": ["src/contract", "src/base"],
  "src/policy": ["src/contract", "src/base"],
  "src/model": ["src/contract", "src/base"],
  "src/observe": ["src/contract", "src/base"],
  "src/plan": ["src/contract", "src/base"],
  "src/mcp": ["src/contract", "src/base"],
  "src/mcp/catalogue": ["src/contract", "src/base"],
  "src/mcp/connect": ["src/contract", "src/base", "src/mcp/catalogue"],
  "src/mcp/auth": ["src/contract", "src/base", "src/mcp/connect"],
  "src/mcp/call": ["src/contract", "src/base", "src/mcp/catalogue", "src/mcp/connect", "src/mcp/auth"],
  "src/store": ["src/contract", "src/base"],
  "src/people": ["src/contract", "src/base", "src/store"],
  "src/ledger": ["src/contract", "src/base", "src/store"],
  "src/turn": ["src/contract", "src/base", "src/store", "src/ledger"],
  "src/present": ["src/contract", "src/base", "src/store", "src/ledger", "src/turn"],
  views: ["src/contract", "src/base"],
  "adapters/document": ["src/contract", "src/base"],
  "adapters/console": ["src/contract", "src/base", "adapters/document"],
  "adapters/http": ["src/contract", "src/base", "adapters/document"],
  "adapters/chat": ["src/contract", "src/base", "adapters/document"],
  "adapters/slack": ["src/contract", "src/base", "adapters/document", "adapters/chat"],
  "adapters/discord": ["src/contract", "src/base", "adapters/document", "adapters/chat"],
  "adapters/preview": [
    "src/contract",
    "src/base",
    "adapters/document",
    "adapters/chat",
    "adapters/slack",
    "adapters/discord",
  ],
  servers: [],
  app: ["src", "adapters", "views"],
};

const ROOMS = [...Object.keys(ARROWS), "bench", "scripts", "test"];

const isInside = (room: string, outer: string): boolean => room === outer || room.startsWith(`${outer}/`);

/** The rule of one room: what it may not import, by its alias and by a relative path. */
function arrowsOf([room, allowed]: [string, readonly string[]]): OxlintOverride {
  const forbidden = ROOMS.filter(
    (one) => !isInside(one, room) && !isInside(room, one) && !allowed.some((outer) => isInside(one, outer)),
  );
  const paths = forbidden.flatMap((one) => [
    `#${one.replace("src/contract", "(src/)?contract")}`,
    String.raw`[./]*\.\./${posix.relative(room, one).replaceAll("../", "")}`,
    String.raw`[./]*\.\./${one}`,
  ]);
  const regex = room === "src/contract" ? String.raw`^[^.]|\.\./` : `^(${paths.join("|")})(/|$)`;
  const message = `${room} imports only ${[...allowed, "itself"].join(", ")} and npm packages.`;
  const detour = { regex: String.raw`[^./]/\.\./`, message: "Write import paths without detours." };
  return {
    files: [`${room}/**`],
    rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }, detour] }] },
  };
}

const UNTYPED = {
  "typescript/no-unsafe-argument": "off",
  "typescript/no-unsafe-assignment": "off",
  "typescript/no-unsafe-call": "off",
} as const;

const config: OxlintConfig = {
  plugins: ["eslint", "typescript", "unicorn", "oxc", "import", "promise", "vitest", "node"],
  categories: { correctness: "error", suspicious: "error" },
  env: { builtin: true, node: true },
  ignorePatterns: ["data/**", "coverage/**", "node_modules/**", "servers/ensembles/library/**"],
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/only-throw-error": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    "typescript/consistent-type-exports": "error",
    "typescript/explicit-module-boundary-types": ["error", { allowArgumentsExplicitlyTypedAsAny: true }],
    "typescript/no-non-null-assertion": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-default-export": "error",
    "import/no-self-import": "error",
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
    "no-console": "error",
    "no-var": "error",
    eqeqeq: ["error", "always", { null: "ignore" }],
    "no-empty-function": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
    "import/no-unassigned-import": "off",
    "import/no-named-as-default-member": "off",
    "vitest/no-conditional-expect": "off",
    "vitest/expect-expect": ["error", { assertFunctionNames: ["expect", "expect*", "assert*", "fc.assert"] }],
    "unicorn/consistent-function-scoping": "off",
    "unicorn/require-module-specifiers": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "promise/always-return": "off",
    "vitest/require-mock-type-parameters": "off",
  },
  overrides: [
    ...Object.entries(ARROWS).map(arrowsOf),
    {
      files: ["app/**", "servers/*/main.ts", "scripts/**", "bench/**", "test/**"],
      rules: { "no-console": "off" },
    },
    {
      files: ["launch.js", "serve.js", "test/**/*.mjs"],
      rules: { ...UNTYPED, "typescript/unbound-method": "off" },
    },
    {
      // Its functions all return a sentence, and their types are what other languages are held to.
      files: ["src/base/words/en.ts"],
      rules: { "typescript/explicit-module-boundary-types": "off" },
    },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
    {
      files: ["test/**"],
      rules: {
        ...UNTYPED,
        "typescript/no-unsafe-member-access": "off",
        "typescript/no-unsafe-return": "off",
      },
    },
  ],
};

export default config;
