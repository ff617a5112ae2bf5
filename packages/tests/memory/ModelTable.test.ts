/** A catalog of many models: written in steps that nobody sees, and found by name without a look at all of them. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isSameValue, ModelTable } from "../../core/src/memory/tables/ModelTable.ts"
import { resolveModelName, resolveNames } from "../../core/src/catalog/modelNames.ts"
import { runSteps } from "../value/runSteps.ts"

type Models = Parameters<ModelTable["put"]>[1]

const architecture = {
  input_modalities: ["text"],
  output_modalities: ["text"],
  modality: "text->text",
  instruct_type: null,
  tokenizer: null
}

const modelsOf = (names: readonly (readonly [id: string, canonical_slug: string])[]): Models =>
  names.map(([id, canonical_slug]) => ({
    id,
    canonical_slug,
    name: id,
    created: 0,
    description: "",
    public: true,
    listing: {},
    architecture,
    endpoints: []
  }))

const many = (count: number, from = 0) =>
  modelsOf(Array.from({ length: count }, (_, at) => [`a/m${from + at}`, `a/m${from + at}-1`] as const))

const idsOf = (models: Models) => models.map(({ id }) => id).sort()

describe("a table of models", () => {
  it("is written in a step for each model, and until the last nobody sees any", () => {
    const log: number[] = []
    const table = new ModelTable((_, models) => void log.push(models))
    const steps = table.put(null, many(5_000), "now")
    for (let step = 0; step < 5_000; step++) {
      assert.notStrictEqual(steps.next().done, true)
      assert.strictEqual(table.of(null).size, 0)
    }
    assert.deepStrictEqual(steps.next(), { done: true, value: true })
    assert.strictEqual(table.of(null).size, 5_000)
    assert.deepStrictEqual(log, [5_000])
  })

  it("loses nothing where two write at once", () => {
    const table = new ModelTable(() => undefined)
    const first = table.put(null, many(3), "first")
    first.next()
    runSteps(table.put(null, many(3, 2), "second"))
    runSteps(first)
    assert.deepStrictEqual([...table.of(null).keys()].sort(), idsOf(many(5)))
  })

  it("keeps to a limit, and has nothing where it is passed", () => {
    const table = new ModelTable(() => undefined)
    assert.isTrue(runSteps(table.put("acme", many(3), "", { models: 3, endpoints: 10, characters: 100_000 })).value)
    assert.isFalse(runSteps(table.put("acme", many(3, 2), "", { models: 4, endpoints: 10, characters: 100_000 })).value)
    assert.strictEqual(table.of("acme").size, 3)
    assert.strictEqual(table.of(null).size, 0)
  })

  it("finds a model under the slug that it has now", () => {
    const table = new ModelTable(() => undefined)
    runSteps(
      table.put(
        null,
        modelsOf([
          ["a/m", "a/old"],
          ["a/m:free", "a/old"]
        ]),
        "now"
      )
    )
    assert.deepStrictEqual(idsOf(table.ofFamilies(null, ["a/m"])), ["a/m", "a/m:free"])
    runSteps(table.put(null, modelsOf([["a/m", "a/new"]]), "now"))
    assert.deepStrictEqual(idsOf(table.ofFamilies(null, ["a/m"])), ["a/m"])
    assert.deepStrictEqual(idsOf(table.ofFamilies(null, ["a/old"])), ["a/m:free"])
    assert.deepStrictEqual(idsOf(table.ofFamilies(null, ["a/other"])), [])
  })

  it("compares models to the last field, in steps", () => {
    const wide = { endpoints: Array.from({ length: 10_000 }, (_, at) => ({ tag: `t${at}`, prices: [1, null] })) }
    assert.isTrue(runSteps(isSameValue(wide, structuredClone(wide))).value)
    assert.isAtLeast(runSteps(isSameValue(wide, structuredClone(wide))).steps, 40)
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        assert.isTrue(runSteps(isSameValue(one, structuredClone(one))).value)
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
        assert.strictEqual(runSteps(isSameValue(one, other)).value, isSame)
      })
    )
  })
})

/** With members in order, so that the same values are written alike. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member), "member"])
}

const name = fc
  .tuple(fc.constantFrom("a/m", "a/n", "b/m"), fc.constantFrom("", ":free", ":x:free"))
  .map((parts) => parts.join(""))

describe("names of many models", () => {
  it("mean what each of them means among all models, a step for each name", () =>
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(name, name), { selector: ([id]) => id }),
        fc.array(name, { minLength: 1 }),
        (entries, names) => {
          const models = modelsOf(entries)
          const { value, steps } = runSteps(resolveNames(names, models))
          for (const one of names) assert.deepStrictEqual(value.get(one), resolveModelName(one, models))
          assert.strictEqual(steps, names.length + 1)
        }
      )
    ))
})
