import { assert, describe, it } from "@effect/vitest"
import * as z from "zod"
import { suggestFields } from "../../core/src/value/suggestFields.ts"

const event = z.object({ model: z.string(), models: z.array(z.string()).optional() })

describe("the unknown field that was meant by a missing one", () => {
  it("is one that no schema around it knows", () => {
    for (const [wrapped, schema] of Object.entries({
      object: event,
      optional: event.optional(),
      nullable: event.nullable(),
      default: event.default({ model: "a" }),
      prefault: event.prefault({ model: "a" }),
      nonoptional: event.optional().nonoptional(),
      readonly: event.readonly(),
      catch: event.catch({ model: "a" }),
      pipe: event.pipe(z.any()),
      preprocess: z.preprocess((value) => value, event),
      transform: event.transform(({ model }) => model),
      lazy: z.lazy(() => event),
      union: z.union([z.string(), event]),
      intersection: z.intersection(z.object({ other: z.string() }), event),
      "intersection, the other way": z.intersection(event, z.object({ other: z.string() })),
      several: z.union([z.lazy(() => event.nullish()), z.string()]).readonly()
    })) {
      assert.isUndefined(suggestFields(schema, { models: ["a"] })(["model"]), wrapped)
      assert.strictEqual(suggestFields(schema, { models: ["a"], mdoel: "a" })(["model"]), "mdoel", wrapped)
      const within = z.object({ own: schema, list: z.array(schema), record: z.record(z.string(), schema) })
      const sent = { models: ["a"], mdoels: "a" }
      for (const [value, path] of [
        [{ own: sent }, ["own", "model"]],
        [{ list: [{}, sent] }, ["list", 1, "model"]],
        [{ record: { a: sent } }, ["record", "a", "model"]]
      ] as const)
        assert.strictEqual(suggestFields(within, value)(path), "mdoels", `${wrapped} at ${path.join(".")}`)
    }
  })

  it("is any that is near, where no schema is known for the place", () => {
    const schema = z.object({ a: z.string(), b: event })
    for (const path of [["a"], ["c"], ["toString"], ["b", "model"]])
      assert.strictEqual(
        suggestFields(
          schema,
          path.reduceRight<object>((inner, step) => ({ [step]: inner }), { models: 1 })
        )([...path, "model"]),
        "models"
      )
  })

  it("is none of a list, of a text, or of what was not sent, and none for a place in a list", () => {
    for (const [sent, path] of [
      [{ list: ["mdoel"] }, ["list", "model"]],
      [{ list: "mdoel" }, ["list", "model"]],
      [{ list: null }, ["list", "model"]],
      [{}, ["list", "model"]],
      [null, ["model"]],
      [["mdoel"], ["model"]],
      [{ "1": "mdoel" }, [0]],
      [{ mdoel: 1 }, []],
      [Object.assign(["x"], { mdoel: 1 }), ["model"]]
    ] as const)
      assert.isUndefined(suggestFields(event, sent)(path))
  })

  it("is the nearest of the first twenty that are unknown", () => {
    const others = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]))
    assert.strictEqual(suggestFields(event, { ...others(19), mdoel: 1 })(["model"]), "mdoel")
    assert.isUndefined(suggestFields(event, { ...others(20), mdoel: 1 })(["model"]))
    assert.strictEqual(suggestFields(event, { models: 1, ...others(19), mdoel: 1 })(["model"]), "mdoel")
    assert.strictEqual(suggestFields(event, { modelxx: 1, mdoel: 1, modle: 1 })(["model"]), "mdoel")
  })

  it("has at most 64 letters, and is shown only if it looks like a name", () => {
    const name = `${"abcdefghi_".repeat(6)}abcd`
    const schema = z.object({ [`${name.slice(0, -1)}`]: z.string() })
    const meant = suggestFields(schema, { [name]: 1 })
    assert.strictEqual(name.length, 64)
    assert.strictEqual(meant([name.slice(0, -1)]), name)
    assert.isUndefined(suggestFields(schema, { [`${name}e`]: 1 })([name.slice(0, -1)]))
    for (const secret of ["model.", "mod el", "m0123del"])
      assert.isUndefined(suggestFields(event, { [secret]: 1 })(["model"]))
  })
})
