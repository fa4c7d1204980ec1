import { describe, expect, it } from "vitest";

import type { QuestionDraft, QuestionReply } from "#contract/question.ts";
import { CallClock, type OpenCall, OpenCalls } from "#src/mcp/connect/open-call.ts";
import { elicit, whyRefused } from "#src/mcp/connect/questions.ts";

const warnings: string[] = [];
const log = {
  debug() {},
  info() {},
  error() {},
  warn: (_: object, message: string) => void warnings.push(message),
};
const options = { server: "shop", log, ttlMs: 1_000 };
const params = {
  message: "Which size?",
  requestedSchema: { type: "object" as const, properties: { size: { type: "string" as const } } },
};

function openCall(ask: OpenCall["ask"]): OpenCall {
  const clock = new CallClock({ idleMs: 60_000, totalMs: 60_000 });
  clock.stop();
  return { toolId: "shop.order", clock, ask, sample: undefined, signal: new AbortController().signal };
}

function form(properties: Record<string, object>): Parameters<typeof whyRefused>[0] {
  const schema = { type: "object", properties } as unknown as Extract<
    QuestionDraft,
    { kind: "form" }
  >["schema"];
  return { kind: "form", message: "", schema };
}

describe("what is never asked", () => {
  it("[mcp.elicit] what is too long to look through for secrets, or too much to fill in", () => {
    const padded = { size: { type: "string", description: `${"x".repeat(9_000)} your password` } };
    expect(whyRefused(form(padded))).toBe(
      "Its form cannot be shown: expected at most 4000 characters about a field, got more.",
    );
    expect(whyRefused(form({ ["x".repeat(4_001)]: { type: "string" } }))).toContain(
      "about a field, got more",
    );
    // One character that stands for eighteen, before the word.
    const written = { size: { type: "string", title: `${"\uFDFA".repeat(100)} password` } };
    expect(whyRefused(form(written))).toContain("It asks for a secret (size)");
    const fields = (many: number): Record<string, object> =>
      Object.fromEntries(Array.from({ length: many }, (_, at) => [`size${at}`, { type: "string" }]));
    expect(whyRefused(form(fields(201)))).toContain("expected at most 200 fields, got 201");
    expect(whyRefused(form(fields(200)))).toBeUndefined();
  });

  it("[mcp.elicit] a form that nobody could answer, as it requires a field that is not there", () => {
    const required = (name: string, properties: Record<string, object>): Parameters<typeof whyRefused>[0] => {
      const asked = form(properties);
      return asked.kind === "form" ? { ...asked, schema: { ...asked.schema, required: [name] } } : asked;
    };
    // So comes one that was called `__proto__`: the protocol's library leaves it out.
    expect(whyRefused(required("__proto__", {}))).toContain('it requires "__proto__"');
    expect(whyRefused(required("toString", { size: {} }))).toContain('it requires "toString"');
    expect(whyRefused(required("constructor", { constructor: {} }))).toBeUndefined();
  });

  it.each([
    ["a password by its name", { password: {} }],
    ["one in camel case", { userPassword: {} }],
    ["an API key by its title", { k: { title: "API key" } }],
    ["a token", { k: { title: "Token" } }],
    ["a PIN", { pin: {} }],
    ["a secret by its description", { k: { description: "Paste your private key here" } }],
    ["a password by its format", { k: { format: "password" } }],
    ["a card's code", { cvv: {} }],
    ["a password by the message", { value: {} }, "Please enter your password to go on."],
    ["one in German", { value: {} }, "Bitte geben Sie Ihr Passwort ein."],
    ["one in French", { value: { title: "Mot de passe" } }],
    ["one in Spanish without its accents", { value: { description: "Tu contrasena" } }],
    ["one in Russian", { value: { title: "Пароль" } }],
    ["one in Turkish", { value: {} }, "Şifrenizi yazın"],
    ["one in Chinese", { value: {} }, "请输入您的密码"],
    ["one in Japanese, in half-width letters", { value: { title: "ﾊﾟｽﾜｰﾄﾞ" } }],
    ["one in Korean", { value: { title: "비밀번호" } }],
    ["one with a letter of another alphabet", { value: { title: "pаssword" } }],
    ["one with Greek letters", { value: {} }, "Enter your pαsswοrd"],
    ["one with something invisible in it", { value: { title: "pass\u200Bword" } }],
    ["one with soft hyphens", { value: { description: "Type your pa\u00ADss\u00ADword" } }],
    ["one in wide letters", { value: { title: "ｐａｓｓｗｏｒｄ" } }],
    ["one in letters set apart", { value: { title: "p a s s w o r d" } }],
    ["one with figures for letters", { value: { title: "p4ssw0rd" } }],
    ["a field's name in another alphabet", { аpi_kеy: {} }],
    ["a code that was sent", { value: {} }, "Type the 6 digits from your phone"],
    ["a code that is to come", { value: {} }, "What is the code we just texted?"],
  ])("[mcp.elicit] is %s", (_, properties, message = "") => {
    expect(whyRefused({ ...form(properties), message })).toContain("It asks for a secret");
  });

  it.each([
    ["a name", { name: { description: "Your full name" } }],
    ["a word that only mentions one", { n: { description: "do not give us your pin or other secrets" } }],
    ["a message that promises not to ask", { k: {} }, "We never ask for a password here. Which size?"],
    ["a choice about passwords", { k: { enum: ["a", "b"] } }, "Passwort-Seite: welche?"],
    ["figures that are no code", { k: { description: "6 digits after the point" } }],
    ["words of other languages", { k: { title: "Größe" }, n: { title: "Размер" } }, "どのサイズですか"],
    ["tokens in a sentence", { k: { description: "How many tokens may the answer have?" } }],
  ])("lets %s pass", (_, properties, message = "") => {
    expect(whyRefused({ ...form(properties), message })).toBeUndefined();
  });

  it.each([
    ["https://sign-in.example.com/a?b=c", undefined],
    ["http://127.0.0.1:8080/", undefined],
    ["ftp://example.com/", "no web page"],
    ["javascript:alert(1)", "no web page"],
    ["https://bank.example@evil.example/", "hides its address"],
    ["not an address", "is not an address"],
    [String.raw`https:\\evil.example\@bank.example/`, "hides where it leads"],
    [String.raw`https://evil.example\@bank.example/`, "hides where it leads"],
    ["https:evil.example", "hides where it leads"],
    ["https://evil.example/\u202Emoc", "hides where it leads"],
    ["https://bank.exa\nmple/", "hides where it leads"],
    [`https://example.com/${"a".repeat(5_000)}`, "is not an address"],
  ])("[mcp.elicit] judges the link %s", (url, why) => {
    const refusal = whyRefused({ kind: "link", message: "", url, domain: "" });
    if (why === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toContain(why);
  });
});

describe("elicit", () => {
  it("hands a question on with its call, and the answer back", async () => {
    const asked: QuestionDraft[] = [];
    const call = openCall((question) => {
      asked.push(question);
      return Promise.resolve<QuestionReply>({ action: "accept", content: { size: "L" } });
    });
    const never = new AbortController().signal;
    expect(await elicit(params, call, never, options)).toEqual({ action: "accept", content: { size: "L" } });
    expect(asked).toMatchObject([
      { kind: "form", message: "Which size?", toolId: "shop.order", ttlMs: 1_000 },
    ]);

    const link = { mode: "url" as const, message: "Go", elicitationId: "1", url: "https://a.example:8443/x" };
    expect(await elicit(link, call, never, options)).toEqual({ action: "accept" });
    expect(asked[1]).toMatchObject({ kind: "link", domain: "a.example:8443" });
  });

  it("[mcp.elicit] tells the server cancel where nobody can be asked", async () => {
    const never = new AbortController().signal;
    expect(await elicit(params, undefined, never, options)).toEqual({ action: "cancel" });
    expect(await elicit(params, openCall(undefined), never, options)).toEqual({ action: "cancel" });
    expect(warnings).toHaveLength(2);
  });
});

describe("which call a question belongs to", () => {
  it("is the one in whose context it is handled, also among several", async () => {
    const calls = new OpenCalls();
    const [one, two] = [openCall(undefined), openCall(undefined)];
    const gate = Promise.withResolvers<void>();
    const seen = [one, two].map((call) =>
      calls.during(call, async () => {
        await gate.promise;
        return calls.current();
      }),
    );
    // Outside of any call nothing tells which of the two it is.
    expect(calls.current()).toBeUndefined();
    gate.resolve();
    const clocks = (await Promise.all(seen)).map((call) => call?.clock);
    expect(clocks).toEqual([one.clock, two.clock]);
  });

  it("is the only call under way, where the context does not tell; and none after it has ended", async () => {
    const calls = new OpenCalls();
    const call = openCall(undefined);
    const gate = Promise.withResolvers<void>();
    const running = calls.during(call, async () => {
      await gate.promise;
      // What a stream of this call brings after its end belongs to nobody.
      setImmediate(() => late.resolve(calls.current()));
    });
    const late = Promise.withResolvers<OpenCall | undefined>();
    expect(calls.current()?.clock).toBe(call.clock);
    gate.resolve();
    await running;
    expect(await late.promise).toBeUndefined();
    expect(calls.current()).toBeUndefined();
  });
});
