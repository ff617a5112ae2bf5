import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { mergePreset, toolIdentity } from "../../core/src/preset/mergePreset.ts"
import { fieldsFor } from "../../core/src/request/requestFields.ts"

type Fields = Record<string, unknown>

const name = fc.constantFrom("a", "b", "c", undefined)
const note = fc.nat({ max: 3 })
const tool = fc.oneof(
  fc.tuple(name, note).map(([name, note]) => ({ type: "function", function: { name, note } })),
  fc.tuple(name, note).map(([name, note]) => ({ type: "openrouter:advisor", parameters: { name, note } })),
  fc.tuple(name, note).map(([name, note]) => ({ type: "openrouter:subagent", parameters: { name, note } })),
  fc
    .tuple(fc.constantFrom("openrouter:web_search", "openrouter:datetime", "__proto__"), note)
    .map(([type, note]) => ({ type, note })),
  fc.jsonValue()
)
/** No two of a list are the same tool, as in a request that means what it says. */
const tools = fc.uniqueArray(tool, { selector: toolIdentity, maxLength: 6 })
const others = fieldsFor("preset").filter((field) => field !== "tools" && field !== "model")
const fields = (more: readonly string[]): fc.Arbitrary<Fields> =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...others, ...more), fc.jsonValue(), { maxKeys: 5 }),
      fc.option(tools, { nil: undefined }),
      fc.option(fc.constantFrom("x/a", "x/b"), { nil: undefined })
    )
    .map(([rest, tools, model]) => ({
      ...rest,
      ...(tools === undefined ? {} : { tools }),
      ...(model === undefined ? {} : { model })
    }))
const config = fields([])
const request = fields(["messages", "user", "__proto__"])

const model = ({ model }: Fields) => ({ model: model as string | undefined })
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

describe("mergePreset", () => {
  it("the request wins field by field, as a whole; the preset's other fields stay", () => {
    fc.assert(
      fc.property(config, request, (kept, sent) => {
        const merged = mergePreset(kept, sent, model(sent))
        for (const [field, value] of Object.entries(sent)) if (field !== "tools") assert.deepEqual(merged[field], value)
        for (const [field, value] of Object.entries(kept))
          if (!Object.hasOwn(sent, field)) assert.deepEqual(merged[field], value)
        for (const field of Object.keys(merged)) assert.isTrue(Object.hasOwn(kept, field) || Object.hasOwn(sent, field))
      })
    )
  })

  it("tools: the preset's in their order, then the request's own, each the request's where it has one", () => {
    fc.assert(
      fc.property(tools, tools, (kept, sent) => {
        const merged = listed(mergePreset({ tools: kept }, { tools: sent }, { model: undefined })["tools"])
        const added = sent.filter((tool) => !kept.some((other) => toolIdentity(other) === toolIdentity(tool)))
        assert.deepEqual(merged.map(toolIdentity), [...kept, ...added].map(toolIdentity))
        for (const tool of merged) {
          const isSame = (other: unknown) => toolIdentity(other) === toolIdentity(tool)
          assert.deepEqual(tool, (sent.some(isSame) ? sent : kept).find(isSame))
        }
      })
    )
  })

  it("tells tools apart by what they are called, and what is called nothing by all that it is", () => {
    const func = (called: unknown, note = 0) => ({ type: "function", function: { name: called, note } })
    const server = (type: string, called?: unknown, note = 0) => ({ type, note, parameters: { name: called } })
    const kinds = [
      [func("a"), func("a", 1)],
      [func("b")],
      [func("openrouter:datetime")],
      [server("a"), server("a", "b", 1)],
      [server("b")],
      [server("openrouter:datetime", "a"), server("openrouter:datetime", "b", 1)],
      ...["openrouter:advisor", "openrouter:subagent"].flatMap((type) => [
        [server(type, "a"), server(type, "a", 1)],
        [server(type, "b")],
        [server(type), { type }]
      ]),
      [{ name: "a" }],
      [{ name: "b" }],
      [{ type: 1 }],
      ["a"],
      [null]
    ]
    for (const [index, kind] of kinds.entries())
      for (const tool of kind)
        for (const [otherIndex, others] of kinds.entries())
          for (const other of others)
            assert.strictEqual(
              toolIdentity(tool) === toolIdentity(other),
              index === otherIndex,
              `${JSON.stringify(tool)} and ${JSON.stringify(other)}`
            )
  })

  it("takes tools as they were sent where either is no list", () => {
    const merge = (kept: unknown, sent: unknown) =>
      mergePreset({ tools: kept }, { tools: sent }, { model: undefined })["tools"]
    assert.deepEqual(merge("none", [1, 1]), [1, 1])
    assert.strictEqual(merge([1], "none"), "none")
  })

  it("nothing is added to nothing", () => {
    fc.assert(
      fc.property(config, (fields) => {
        assert.deepEqual(mergePreset(fields, {}, { model: undefined }), fields)
        assert.deepEqual(mergePreset({}, fields, model(fields)), fields)
      })
    )
  })

  it("merging once more changes nothing", () => {
    fc.assert(
      fc.property(config, request, (kept, sent) => {
        const once = mergePreset(kept, sent, model(sent))
        assert.deepEqual(mergePreset(once, sent, model(sent)), once)
      })
    )
  })

  it("the reference itself is resolved", () => {
    const kept = { model: "x/kept", temperature: 1 }
    const merge = (request: Fields, model?: string) => mergePreset(kept, request, { model })
    assert.deepEqual(merge({ model: "@preset/a" }), { model: "x/kept", temperature: 1 })
    assert.deepEqual(merge({ model: "x/own@preset/a", top_p: 1 }, "x/own"), {
      model: "x/own",
      temperature: 1,
      top_p: 1
    })
    assert.deepEqual(merge({ preset: "a", temperature: null }), { model: "x/kept", temperature: null })
  })

  it("provider preferences are replaced, not mixed", () => {
    const merged = mergePreset(
      { provider: { order: ["a"], zdr: true } },
      { provider: { only: ["b"] } },
      { model: undefined }
    )
    assert.deepEqual(merged, { provider: { only: ["b"] } })
  })

  it("what is the same tool", () => {
    const same = (a: unknown, b: unknown) => toolIdentity(a) === toolIdentity(b)
    const call = (name: string, strict = false) => ({ type: "function", function: { name, strict } })
    assert.isTrue(same(call("a"), call("a", true)))
    assert.isFalse(same(call("a"), call("b")))
    assert.isTrue(same({ type: "openrouter:web_search" }, { type: "openrouter:web_search", parameters: { name: "x" } }))
    assert.isFalse(
      same(
        { type: "openrouter:advisor", parameters: { name: "x" } },
        { type: "openrouter:advisor", parameters: { name: "y" } }
      )
    )
    assert.isFalse(
      same(
        { type: "openrouter:advisor", parameters: { name: "x" } },
        { type: "openrouter:subagent", parameters: { name: "x" } }
      )
    )
    assert.isFalse(same({ type: "function" }, { function: { name: undefined } }))
  })
})
