/** How much of what is wrong is told: enough to mend it, never as much as a body can hold. */
import { AnalyticsQuery, ChatRequest } from "@gatewarden/contract"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkInput } from "../../src/http/checkInput.ts"

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
