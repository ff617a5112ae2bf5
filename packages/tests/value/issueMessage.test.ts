/** The words of an issue where choices are many, alternatives differ, or a schema has words of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as z from "zod"
import { checkInput, checkLongInput } from "../../core/src/value/checkInput.ts"
import { refusalWith, valueAt } from "../../core/src/value/issues.ts"

const refusal = (schema: z.ZodType, sent: unknown, prefix?: string) =>
  Effect.map(Effect.flip(checkInput(schema, sent, prefix)), ({ reason, issues = [] }) => ({ reason, issues }))

/** What is said of one value, the only one that is wrong. */
const words = (schema: z.ZodType, sent: unknown) =>
  Effect.map(refusal(z.object({ it: schema }), sent === undefined ? {} : { it: sent }), ({ issues }) => {
    assert.deepEqual(
      issues.map(({ path }) => path),
      ["it"]
    )
    return issues[0]?.message
  })

describe("one of several choices", () => {
  const few = z.enum(["prompt_tokens", "completion_tokens", "cost"])
  const ten = Array.from({ length: 9 }, (_, index) => `other_${"abcdefghi"[index]}`)
  const listed = [...ten, "cost"].map((name) => JSON.stringify(name)).join(", ")

  it.effect("names those that are near to what was sent", () =>
    Effect.gen(function* () {
      const all = 'Expected one of "prompt_tokens", "completion_tokens", "cost"'
      assert.strictEqual(yield* words(few, "costs"), `${all}; the nearest is "cost"`)
      assert.strictEqual(yield* words(few, "Prompt_Tokens"), `${all}; the nearest is "prompt_tokens"`)
      assert.strictEqual(yield* words(few, "weather"), all)
      for (const sent of [1, null, {}, ["cost"]]) assert.strictEqual(yield* words(few, sent), all)
      assert.strictEqual(yield* words(few, undefined), `${all}; it is missing`)
    })
  )

  it.effect("lists up to ten, and beyond only the nearest, if there are any", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* words(z.enum([...ten, "cost"]), "costs"),
        `Expected one of ${listed}; the nearest is "cost"`
      )
      const eleven = z.enum([...ten, "cost", "price"])
      assert.strictEqual(yield* words(eleven, "costs"), 'Expected one of 11 names; the nearest is "cost"')
      assert.strictEqual(yield* words(eleven, "weather"), `Expected one of ${listed}, "price"`)
    })
  )

  it.effect("may be no text", () =>
    Effect.gen(function* () {
      const schema = z.literal(["auto", 1, null])
      assert.strictEqual(yield* words(schema, "auto1"), 'Expected one of "auto", 1, null; the nearest is "auto"')
      assert.strictEqual(yield* words(schema, 2), 'Expected one of "auto", 1, null')
      assert.strictEqual(yield* words(z.literal(1), "1"), "Expected 1")
    })
  )

  it.effect("keeps the schema's own words", () =>
    Effect.gen(function* () {
      const schema = z.enum(["cost"], { error: "Send the name of a metric" })
      assert.strictEqual(yield* words(schema, "costs"), "Send the name of a metric")
      assert.strictEqual(yield* words(schema, undefined), "Send the name of a metric")
      assert.strictEqual(yield* words(z.string({ error: "An Invalid input is one" }), 1), "An Invalid input is one")
    })
  )
})

describe("a value of another type", () => {
  it.effect("is named in the words of JSON", () =>
    Effect.gen(function* () {
      for (const [sent, noun] of [
        [null, "null"],
        [[], "a list"],
        [{}, "an object"],
        ["a", "a string"],
        [1, "a number"]
      ] as const)
        assert.strictEqual(yield* words(z.boolean(), sent), `Expected true or false, not ${noun}`)
      assert.strictEqual(yield* words(z.null(), true), "Expected null, not true or false")
      assert.strictEqual(yield* words(z.bigint(), "1"), "Expected bigint, not a string")
    })
  )
})

describe("one of several alternatives", () => {
  const one = z.object({ a: z.string() })
  const other = z.object({ b: z.string() })

  it.effect("is named by its types, each once", () =>
    Effect.gen(function* () {
      const schema = z.union([z.string(), z.literal("x"), z.array(z.string()), z.string(), z.enum(["p", "q"])])
      assert.strictEqual(yield* words(schema, 1), 'Expected a string or "x" or a list or one of "p", "q"')
      assert.strictEqual(
        yield* words(schema, undefined),
        'Expected a string or "x" or a list or one of "p", "q"; it is missing'
      )
    })
  )

  it.effect("is not named where only zod has words for one of them", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* words(z.union([one, other]), {}), "Invalid input")
      assert.strictEqual(yield* words(z.union([one, other, z.string()]), {}), "Invalid input")
      assert.strictEqual(
        yield* words(z.xor([z.string(), z.string().min(1)]), "a"),
        "Invalid input: more than one option matched"
      )
    })
  )

  it.effect("is the one that the value has the type of", () =>
    Effect.gen(function* () {
      for (const [schema, sent, path, message] of [
        [z.union([z.string(), one]), { a: 1 }, "it.a", "Expected a string, not a number"],
        [
          z.union([z.array(z.string()), z.union([z.string(), one])]),
          { a: 1 },
          "it.a",
          "Expected a string, not a number"
        ],
        [z.union([z.string().min(3), z.number()]), "a", "it", "Too small: expected string to have >=3 characters"],
        [
          z.union([z.enum(["auto", "none"]), one]),
          "atuo",
          "it",
          'Expected one of "auto", "none"; the nearest is "auto"'
        ],
        [z.union([z.array(z.string()), z.string()]), ["a", 1], "it.1", "Expected a string, not a number"]
      ] as const)
        assert.deepEqual(
          (yield* refusal(z.object({ it: schema }), { it: sent })).issues.map((issue) => [issue.path, issue.message]),
          [[path, message]]
        )
    })
  )
})

describe("an issue", () => {
  const own = (params: object | undefined) =>
    z.string().check((context) => {
      context.issues.push({
        code: "custom",
        input: context.value,
        message: "Not this one",
        ...(params === undefined ? {} : { params: params as Record<string, unknown> })
      })
    })

  it.effect("has the code and the reason that its schema names, if that is one of the status", () =>
    Effect.gen(function* () {
      for (const [params, code, reason] of [
        [undefined, "custom", "invalid_request"],
        [{}, "custom", "invalid_request"],
        [{ code: "reserved" }, "reserved", "invalid_request"],
        [{ code: 1 }, "custom", "invalid_request"],
        [{ code: "a", reason: "no_such_reason" }, "a", "invalid_request"],
        [{ reason: "not_found" }, "custom", "invalid_request"],
        [{ reason: "invalid_json" }, "custom", "invalid_json"]
      ] as const)
        assert.deepStrictEqual(yield* refusal(z.object({ it: own(params) }), { it: "a" }), {
          reason,
          issues: [{ path: "it", code, message: "Not this one" }]
        })
      assert.deepStrictEqual(yield* refusal(z.object({ it: z.string() }), { it: 1 }), {
        reason: "invalid_request",
        issues: [{ path: "it", code: "invalid_type", message: "Expected a string, not a number" }]
      })
    })
  )

  it.effect("has the prefix before its path, without the last dot if it is of the whole", () =>
    Effect.gen(function* () {
      const paths = (sent: unknown, prefix?: string) =>
        Effect.map(refusal(z.object({ a: z.string() }), sent, prefix), ({ issues }) => issues.map(({ path }) => path))
      assert.deepEqual(yield* paths({}, "query."), ["query.a"])
      assert.deepEqual(yield* paths(1, "query."), ["query"])
      assert.deepEqual(yield* paths(1, "query.filter."), ["query.filter"])
      assert.deepEqual(yield* paths(1), [""])
      assert.deepEqual(yield* paths({}), ["a"])
    })
  )
})

describe("the issues of a large value", () => {
  /** Is wrong after so many turns as it says. */
  const late = z.any().superRefine(async (value: { readonly turns: number }, context) => {
    for (let turn = 0; turn < value.turns; turn++) await Promise.resolve()
    context.addIssue({ code: "custom", message: `after ${value.turns}` })
  })

  it.effect("are in the order of their places, whichever is found first", () =>
    Effect.gen(function* () {
      const schema = z.object({
        list: z.array(z.object({ a: late, b: late })),
        early: late,
        whole: z.array(late).superRefine(async (_, context) => {
          context.addIssue({ code: "custom", message: "whole" })
        })
      })
      const turns = (turns: number) => ({ turns })
      const list = Array.from({ length: 12 }, (_, index) => ({ a: turns(30 - index), b: turns(index) }))
      const { issues = [], reason } = yield* Effect.flip(
        checkLongInput(schema, { list, early: turns(40), whole: [turns(5), turns(1)] })
      )
      assert.strictEqual(reason, "invalid_request")
      assert.deepEqual(
        issues.map(({ path }) => path),
        ["early", ...list.flatMap((_, index) => [`list.${index}.a`, `list.${index}.b`]), "whole", "whole.0", "whole.1"]
      )
    })
  )

  it.effect("are none if nothing is wrong", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* checkLongInput(z.object({ a: z.string().default("x") }), {}), { a: "x" })
    })
  )

  it.effect("are of the whole before those of its members", () =>
    Effect.gen(function* () {
      const schema = z.looseObject({ b: late, a: late }).check((context) => {
        context.issues.push({ code: "custom", input: context.value, message: "of all", path: ["b"] })
        context.issues.push({ code: "custom", input: context.value, message: "of a.b", path: ["a", "b"] })
        context.issues.push({ code: "custom", input: context.value, message: "of the whole" })
      })
      const { issues = [] } = yield* Effect.flip(checkLongInput(schema, { a: { turns: 1 }, b: { turns: 2 } }))
      assert.deepEqual(
        issues.map(({ path }) => path),
        issues.map(({ path }) => path).toSorted()
      )
    })
  )
})

describe("the value at a path", () => {
  it("is one's own, and never inherited", () => {
    for (const [root, path, value] of [
      [{ a: [{ b: 1 }] }, ["a", 0, "b"], 1],
      [{ a: null }, ["a"], null],
      [{ a: null }, ["a", "b"], undefined],
      [{ a: 1 }, [], { a: 1 }],
      [{}, ["toString"], undefined],
      [{}, ["constructor", "name"], undefined],
      ["text", ["length"], undefined],
      [["a"], [1], undefined],
      [null, ["a"], undefined],
      [undefined, ["a"], undefined]
    ] as const)
      assert.deepStrictEqual(valueAt(root, path), value)
  })
})

describe("a refusal", () => {
  it("has metadata only if there are any", () => {
    const refused = { status: 403, reason: "restricted_key", message: "No" } as const
    assert.deepStrictEqual(refusalWith(403, "restricted_key", "No"), refused)
    assert.deepStrictEqual(refusalWith(403, "restricted_key", "No", { a: 1 }), { ...refused, metadata: { a: 1 } })
  })
})
