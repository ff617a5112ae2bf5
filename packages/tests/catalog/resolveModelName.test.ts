import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type NamedModel,
  entriesOf,
  findModel,
  hasVariant,
  joinVariant,
  recordedName,
  resolveModelName,
  resolveNames,
  splitVariant,
  variantsOf
} from "../../core/src/catalog/modelNames.ts"

const entry = (id: string, canonical_slug = id): NamedModel => ({ id, canonical_slug })

const slug = fc.constantFrom("acme/a", "acme/b", "acme/c")
const variant = fc.constantFrom("", "free", "beta", "x:y")
const name = fc.tuple(slug, variant).map(([base, suffix]) => (suffix === "" ? base : `${base}:${suffix}`))
const entries = fc.uniqueArray(
  fc.tuple(name, name).map(([id, canonical]) => entry(id, canonical)),
  {
    selector: ({ id }) => id,
    maxLength: 6
  }
)

describe("splitVariant", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["acme/a", "acme/a", ""],
    ["acme/a:free", "acme/a", "free"],
    ["acme/a:x:free", "acme/a:x", "free"],
    ["host:8080/a", "host:8080/a", ""],
    ["host:8080/a:free", "host:8080/a", "free"],
    ["a:free", "a", "free"],
    ["acme/:free", "acme/:free", ""],
    ["acme/a:", "acme/a:", ""],
    [":free", ":free", ""],
    ["", "", ""]
  ]
  for (const [whole, base, suffix] of cases)
    it(`${JSON.stringify(whole)} has the variant ${JSON.stringify(suffix)}`, () => {
      assert.deepEqual(splitVariant(whole), { slug: base, variant: suffix })
      assert.strictEqual(joinVariant(splitVariant(whole)), whole)
    })

  it("loses nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", ":", "/"), maxLength: 8 }), (whole) =>
        assert.strictEqual(joinVariant(splitVariant(whole)), whole)
      )
    )
  })
})

describe("findModel", () => {
  const catalog = [
    entry("acme/a", "acme/a-1"),
    entry("acme/a:free", "acme/a-1"),
    entry("acme/b", "acme/a"),
    entry("acme/c:free")
  ]
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["acme/a", "acme/a"],
    ["acme/a:free", "acme/a:free"],
    ["acme/a:beta", "acme/a"],
    ["acme/a-1", "acme/a"],
    ["acme/a-1:free", "acme/a:free"],
    ["acme/a-1:beta", "acme/a"],
    ["acme/b:free", "acme/b"],
    ["acme/c:free", "acme/c:free"],
    ["acme/c", undefined],
    ["acme/c:beta", undefined],
    ["acme", undefined]
  ]
  for (const [asked, id] of cases)
    it(`${asked} is ${id}`, () => {
      assert.strictEqual(findModel(asked, catalog)?.id, id)
      assert.strictEqual(findModel(asked, catalog.toReversed())?.id, id)
    })
})

describe("resolveModelName", () => {
  const architecture = {
    input_modalities: ["text"],
    output_modalities: ["image"],
    modality: "text->image",
    instruct_type: null,
    tokenizer: null
  }
  const catalog = [entry("acme/a", "acme/a-1"), entry("acme/b", "acme/b-1:pro")].map((model) => ({
    ...model,
    architecture
  }))
  const cases: readonly (readonly [string, string, string])[] = [
    ["acme/a", "acme/a-1", ""],
    ["acme/a:free", "acme/a-1", "free"],
    ["acme/b", "acme/b-1", "pro"],
    ["acme/b:free", "acme/b-1", "pro"]
  ]
  for (const [asked, base, suffix] of cases)
    it(`${asked} is recorded as ${base} with the variant ${JSON.stringify(suffix)}`, () =>
      assert.deepEqual(resolveModelName(asked, catalog), {
        slug: base,
        variant: suffix,
        input_modalities: ["text"],
        output_modalities: ["image"]
      }))
})

describe("resolveNames", () => {
  it("resolves each of many names as if it were alone", () => {
    fc.assert(
      fc.property(entries, fc.array(fc.oneof(name, fc.constantFrom("acme", "acme/a:", "acme/none"))), (all, names) => {
        const architecture = { input_modalities: [], output_modalities: [] } as never
        const catalog = all.map((model) => ({ ...model, architecture }))
        const steps = resolveNames(names, catalog)
        let step = steps.next()
        while (step.done !== true) step = steps.next()
        for (const asked of names) assert.deepEqual(step.value.get(asked), resolveModelName(asked, catalog), asked)
      })
    )
  })
})

describe("entriesOf", () => {
  it("gives usage of a listed variant to it, of any other to the entry without one", () => {
    const plain = entry("acme/a", "acme/a-1")
    const free = entry("acme/a:free", "acme/a-1")
    const alias = entry("acme/latest", "acme/a-1")
    const all = [plain, free, alias]
    assert.deepEqual(entriesOf({ slug: "acme/a-1", variant: "free" }, all), [free])
    assert.deepEqual(entriesOf({ slug: "acme/a-1", variant: "" }, all), [plain, alias])
    assert.deepEqual(entriesOf({ slug: "acme/a-1", variant: "beta" }, all), [plain, alias])
    assert.deepEqual(entriesOf({ slug: "acme/a", variant: "" }, all), [])
    assert.deepEqual(entriesOf({ slug: "acme/a-1", variant: "beta" }, [free]), [free])
  })

  it("always finds whose usage was recorded under a resolved name", () => {
    fc.assert(
      fc.property(entries, name, (catalog, asked) => {
        const architecture = { input_modalities: [], output_modalities: [] } as never
        const resolved = resolveModelName(
          asked,
          catalog.map((model) => ({ ...model, architecture }))
        )
        if (resolved !== undefined) assert.isNotEmpty(entriesOf(resolved, catalog))
      })
    )
  })

  it("is what variantsOf says of each entry", () => {
    fc.assert(
      fc.property(entries, slug, fc.oneof(variant, fc.constantFrom("unlisted", "y")), (catalog, base, suffix) => {
        const owners = entriesOf({ slug: base, variant: suffix }, catalog)
        for (const model of catalog)
          if (recordedName(model).slug === base)
            assert.strictEqual(hasVariant(variantsOf(model, catalog), suffix), owners.includes(model))
      })
    )
  })
})
