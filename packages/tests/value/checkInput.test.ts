/** How much of what is wrong is told: enough to mend it, never as much as a body can hold. */
import { AnalyticsQuery, ChatRequest } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as z from "zod"
import { checkInput } from "../../core/src/value/checkInput.ts"

const pathsOf = (body: unknown) =>
  Effect.map(Effect.flip(checkInput(ChatRequest, body)), ({ issues }) => (issues ?? []).map(({ path }) => path))

const many = Array.from({ length: 5_000 }, () => ({}))

it.effect("tells the first hundred issues of a list, and of one within an alternative", () =>
  Effect.gen(function* () {
    const ofMessages = yield* pathsOf({ model: "a/b", messages: many })
    assert.deepEqual([ofMessages.length, ofMessages[0], ofMessages[99]], [100, "messages.0.role", "messages.99.role"])
    const ofParts = yield* pathsOf({ model: "a/b", messages: [{ role: "user", content: many }] })
    assert.deepEqual(
      [ofParts.length, ofParts[0], ofParts[99]],
      [100, "messages.0.content.0.type", "messages.0.content.99.type"]
    )
    const ofBoth = yield* pathsOf({
      model: "a/b",
      messages: Array.from({ length: 60 }, () => ({ role: "user", content: many.slice(0, 60) }))
    })
    assert.deepEqual([ofBoth.length, ofBoth[99]], [100, "messages.1.content.39.type"])
  })
)

it.effect("looks at no more of a list than it tells of", () =>
  Effect.gen(function* () {
    let reads = 0
    const wrong = {
      get role() {
        reads++
        return "nobody"
      }
    }
    const told = yield* pathsOf({ model: "a/b", messages: Array.from({ length: 50_000 }, () => wrong) })
    assert.strictEqual(told.length, 100)
    assert.isBelow(reads, 1_000)
  })
)

it.effect("reads a long list to its end, and knows where in it something is wrong", () =>
  Effect.gen(function* () {
    const messages = Array.from({ length: 250 }, (_, index) => ({
      role: "user" as const,
      content: [{ type: "text", text: `${index}` }]
    }))
    assert.deepEqual((yield* checkInput(ChatRequest, { messages })).messages, messages)
    const spoiled = messages.map((message, index) =>
      index === 120 ? {} : index === 249 ? { ...message, content: [{ type: "text" }] } : message
    )
    assert.deepEqual(yield* pathsOf({ messages: spoiled }), ["messages.120.role", "messages.249.content.0.text"])
  })
)

it.effect("tells of too many pairs once", () =>
  Effect.gen(function* () {
    const metadata = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`${index}`, index]))
    const messages = [{ role: "user", content: "" }]
    assert.deepEqual(yield* pathsOf({ messages, metadata }), ["metadata"])
  })
)

it.effect("goes through alternatives within alternatives to the one that was meant, and no further", () =>
  Effect.gen(function* () {
    const issuesOf = (value: unknown) =>
      Effect.map(
        Effect.flip(
          checkInput(AnalyticsQuery, {
            metrics: ["request_count"],
            filters: [{ field: "model", operator: "in", value }]
          })
        ),
        ({ issues }) => (issues ?? []).map(({ path, code }) => [path, code])
      )
    assert.deepStrictEqual(yield* issuesOf(["a", 1, {}]), [["filters.0.value.2", "invalid_union"]])
    assert.deepStrictEqual(yield* issuesOf({}), [["filters.0.value", "invalid_union"]])
  })
)

describe("the words of an issue", () => {
  const rows = z.object({
    name: z.string(),
    own: z.string("Expected the key that makes the request"),
    size: z.number(),
    count: z.int(),
    flag: z.boolean(),
    list: z.array(z.string()),
    fields: z.record(z.string(), z.unknown()),
    kind: z.enum(["a", "b"]),
    literal: z.literal("x"),
    either: z.union([z.string(), z.number()]),
    tagged: z.discriminatedUnion("type", [z.object({ type: z.literal("a") }), z.object({ type: z.literal("b") })]),
    rule: z.string().min(3)
  })

  const wordsOf = (sent: object) =>
    Effect.map(Effect.flip(checkInput(rows, sent)), ({ issues = [] }) =>
      Object.fromEntries(issues.map(({ path, message }) => [path, message]))
    )

  it.effect("say what is missing, and what was expected", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* wordsOf({}), {
        name: "Expected a string; it is missing",
        own: "Expected the key that makes the request; it is missing",
        size: "Expected a number; it is missing",
        count: "Expected a number; it is missing",
        flag: "Expected true or false; it is missing",
        list: "Expected a list; it is missing",
        fields: "Expected an object; it is missing",
        kind: 'Expected one of "a", "b"; it is missing',
        literal: 'Expected "x"; it is missing',
        either: "Expected a string or a number; it is missing",
        tagged: "Expected an object; it is missing",
        rule: "Expected a string; it is missing"
      })
    })
  )

  it.effect("say what stands in its place, and never its value", () =>
    Effect.gen(function* () {
      const secret = "sk-secret"
      const sent = {
        name: null,
        own: 1,
        size: secret,
        count: 1.5,
        flag: secret,
        list: { secret },
        fields: [secret],
        kind: secret,
        literal: secret,
        either: [secret],
        tagged: { type: secret },
        rule: "no"
      }
      const words = yield* wordsOf(sent)
      assert.deepEqual(words, {
        name: "Expected a string, not null",
        own: "Expected the key that makes the request",
        size: "Expected a number, not a string",
        count: "Expected an integer, not a number",
        flag: "Expected true or false, not a string",
        list: "Expected a list, not an object",
        fields: "Expected an object, not a list",
        kind: 'Expected one of "a", "b"',
        literal: 'Expected "x"',
        either: "Expected a string or a number",
        "tagged.type": 'Expected one of "a", "b"',
        rule: "Too small: expected string to have >=3 characters"
      })
      assert.notInclude(JSON.stringify(words), secret)
    })
  )

  it.effect("name what is missing far below, in long lists and in alternatives", () =>
    Effect.gen(function* () {
      const messages = Array.from({ length: 250 }, () => ({ role: "user", content: [{ type: "text" }] }))
      const { issues } = yield* Effect.flip(checkInput(ChatRequest, { messages }))
      assert.deepInclude(issues?.[99], {
        path: "messages.99.content.0.text",
        message: "Expected a string; it is missing"
      })
    })
  )

  it.effect("name an unknown field that is near to a missing one", () =>
    Effect.gen(function* () {
      const event = z.object({ model: z.string(), models: z.array(z.string()).optional() })
      const schema = z.object({
        name: z.string(),
        events: z.array(event.nullish()).min(1),
        either: z.union([event, z.object({ event })]).optional(),
        own: z.record(z.string(), event).optional()
      })
      const words = (sent: object) =>
        Effect.map(Effect.flip(checkInput(schema, sent)), ({ issues = [] }) =>
          Object.fromEntries(issues.map(({ path, message }) => [path, message]))
        )
      const missing = "Expected a string; it is missing"
      assert.deepEqual(
        yield* words({ Name: "a", events: [{ mdoel: "a/b" }, { models: [], modell: "a/b" }], nmae: "b" }),
        {
          name: `${missing}. \`Name\` is not a field here; send \`name\``,
          "events.0.model": `${missing}. \`mdoel\` is not a field here; send \`model\``,
          "events.1.model": `${missing}. \`modell\` is not a field here; send \`model\``
        }
      )
      // A field that is known, one that is far off, and one that may be a credential.
      assert.deepEqual(yield* words({ events: [{ models: [] }, { title: "x" }], "name-0123456789abcdef": "x" }), {
        name: missing,
        "events.0.model": missing,
        "events.1.model": missing
      })
      assert.deepEqual(yield* words({ name: "a", events: [{ model: "b" }], own: { a: { modle: "x" } } }), {
        "own.a.model": `${missing}. \`modle\` is not a field here; send \`model\``
      })
    })
  )

  it.effect("read the fields of an object once, however many are missing", () =>
    Effect.gen(function* () {
      let reads = 0
      const sent = new Proxy({ frist: "a", secnod: "b" }, { ownKeys: (target) => (reads++, Reflect.ownKeys(target)) })
      const schema = z.object({ first: z.string(), second: z.string(), third: z.string() })
      const { issues = [] } = yield* Effect.flip(checkInput(schema, sent))
      assert.deepEqual(
        issues.map(({ message }) => message.split(". ")[1]),
        ["`frist` is not a field here; send `first`", "`secnod` is not a field here; send `second`", undefined]
      )
      assert.strictEqual(reads, 1)
    })
  )
})
