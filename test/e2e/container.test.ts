import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import { gatherRuntime } from "../../scripts/runtime.ts";
import { has } from "../machine.ts";
import { cleanUpAll, projectRoot, startProduct, temporaryFolder } from "./support.ts";

const read = (path: string): Promise<string> => readFile(join(projectRoot, path), "utf8");

let runtime: string;
beforeAll(async () => {
  runtime = await temporaryFolder();
  await gatherRuntime(runtime);
  return cleanUpAll;
});

it.runIf(has("bubblewrap"))(
  "[ops.docker] runs of what the image holds, on a file system that cannot be written, and is healthy by its own check",
  async () => {
    const dataDir = await temporaryFolder();
    // Nothing of this project is there, as in the image.
    const system = ["--ro-bind", "/", "/", "--dev", "/dev", "--ro-bind-try", "/dev/shm", "/dev/shm"];
    const sandbox = ["bwrap", ...system, "--proc", "/proc", "--die-with-parent"];
    const product = await startProduct({
      root: runtime,
      dataDir,
      within: [...sandbox, "--tmpfs", projectRoot, "--ro-bind", process.execPath, process.execPath].concat(
        "--bind",
        dataDir,
        dataDir,
      ),
      config: await read("config/examples/container.yaml"),
      env: { COUNTERSIGN_TOKEN: "operator-1", HOST: "127.0.0.1" },
    });
    const response = await fetch(`${product.url}/agent/turn`, {
      method: "POST",
      headers: { authorization: "Bearer operator-1", "content-type": "application/json" },
      body: JSON.stringify({ session_id: "test", message: "show DEMO-1" }),
    });
    expect(await response.json()).toMatchObject({ tool_result: { data: { key: "DEMO-1" } } });

    const dockerfile = (await read("Dockerfile")).replaceAll(/\\\n\s*/g, "");
    const check = /HEALTHCHECK .*CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "";
    const [, ...args] = JSON.parse(check) as string[];
    const health = async (port: string): Promise<unknown> => {
      const child = spawn(process.execPath, args, { env: { PORT: port }, stdio: "ignore" });
      return (await once(child, "close"))[0];
    };
    expect(await health(new URL(product.url).port)).toBe(0);
    expect(await health("9")).toBe(1);
  },
);

describe("[ops.docker] what the image is made of", () => {
  it("has no test, picture or package that is only for development, and is small", async () => {
    const files = (await readdir(runtime, { recursive: true })).map(String);
    expect(
      files.filter((path) => /\.(?:test\.ts|map)$|^test\/|^docs\/.*\.(?:png|jpg|svg)$/.test(path)),
    ).toEqual([]);
    const { devDependencies } = JSON.parse(await read("package.json")) as { devDependencies: object };
    const packages = files.filter(
      (path) => path.startsWith("node_modules/") && path.endsWith("/package.json"),
    );
    const names = packages.map((path) => path.slice("node_modules/".length, -"/package.json".length));
    expect(names).toContain("turndown");
    expect(names.filter((name) => Object.hasOwn(devDependencies, name))).toEqual([]);
    const sizes = await Promise.all(files.map(async (path) => (await stat(join(runtime, path))).size));
    // The base and Node take 200 MB of the 250 that it may have.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40e6);
  });

  it("has what is loaded late, in workers and children", async () => {
    const files = (await readdir(runtime, { recursive: true })).map(String);
    const late = files.filter(
      (path) => !path.startsWith("node_modules/") && /-(?:worker|child)\.ts$/.test(path),
    );
    expect(late.length).toBeGreaterThanOrEqual(4);
    // Without a parent they have nothing to do, or say so; what they need is loaded before.
    const script = `for (const path of ${JSON.stringify(late)}) try { await import("./" + path) } catch (error) {
      if (/NOT_FOUND|UNDEFINED|MODULE/.test(error.code)) { console.log(error.message); process.exit(1); }
    } process.exit(0)`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: runtime,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [[code], told] = await Promise.all([once(child, "close"), text(child.stdout)]);
    expect({ code, told }).toEqual({ code: 0, told: "" });
  });

  it("is sent to the build whole, and nothing that is private", async () => {
    const ignored = (await read(".dockerignore")).split("\n").filter((line) => line !== "");
    const sent = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect(ignored[0]).toBe("**");
    for (const part of await readdir(runtime))
      if (!["dist", "node_modules"].includes(part))
        expect(
          sent.some((line) => line === part || (line.startsWith("*") && part.endsWith(line.slice(1)))),
        ).toBe(true);
    expect(sent).not.toContain("data");
    expect(sent).not.toContain("dist");
  });

  it("gets no right that it does not need, in compose and in Kubernetes", async () => {
    const compose = parse(await read("compose.yaml")) as { services: Record<string, unknown> };
    expect(compose.services.countersign).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      ports: [expect.stringMatching(/^127\.0\.0\.1:/)],
    });
    const [deployment] = parseAllDocuments(await read("docs/kubernetes.yaml")).map(
      (document) => document.toJS() as { spec: { template: { spec: { containers: unknown[] } } } },
    );
    expect(deployment?.spec.template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false } }],
    });
  });

  it("is told every variable of its configuration by the file that people fill in", async () => {
    const config = await read("config/examples/container.yaml");
    const given = [...(await read("docs/container.env")).matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    const compose = await read("compose.yaml");
    const asked = [...`${config}\n${compose}`.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const made = ["DATABASE_URL", "OLLAMA_HOST"];
    expect(asked.filter((name = "") => !given.includes(name) && !made.includes(name))).toEqual([]);
    expect(given).toContain("COUNTERSIGN_SECRET_KEY");
  });
});
