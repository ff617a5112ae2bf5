/**
 * Holds a store to the meaning of the catalog: random writes, and every way to name a model, against the rule
 * (Rule: models#model-names).
 */
import { CatalogModel } from "@gatewarden/contract"
import { createAccount, findModel, ModelCatalog, type ResolvedModel, type StorePorts } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { catalogEndpoint, catalogModel } from "./catalogModel.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const slug = fc.constantFrom(
  "acme/a",
  "acme/b",
  "acme/a-2026",
  "Acme/a",
  "acme/\uffee",
  "acme/\u{1f600}",
  "acme/q'\"\\{},"
)
const variant = fc.constantFrom("", "", "free", "beta", "free:beta")
const name = fc.tuple(slug, variant).map(([base, suffix]) => (suffix === "" ? base : `${base}:${suffix}`))
/** Names that nothing has, or that look like a variant and are none. */
const asked = fc.oneof(
  { weight: 8, arbitrary: name },
  fc.constantFrom("acme", "acme/", "acme/a:", "acme/:free", ":free", "", "acme/none", "free", "a:b/c", "acme/a:x/free")
)

const text = fc.constantFrom(
  "plain",
  "quo'te\"",
  "back\\slash",
  "{,}",
  "\u{1f600}\u0301",
  "line\nbreak",
  "NULL",
  "__proto__"
)
const price = fc.constantFrom("0", "0.000000000000000000000001", "999999999999999.5", "12")
const count = fc.constantFrom(0, 1, 8192, Number.MAX_SAFE_INTEGER)
const maximum = fc.constantFrom(1, 8192, Number.MAX_SAFE_INTEGER)
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })
const words = fc.array(text, { maxLength: 3 })
const flag = fc.boolean()

const endpoint = fc.record(
  {
    name: text,
    model_name: nullable(text),
    provider_name: text,
    provider_slug: text,
    tag: text,
    context_length: count,
    max_completion_tokens: nullable(maximum),
    max_prompt_tokens: nullable(maximum),
    pricing: fc.record(
      {
        prompt: price,
        completion: price,
        image: price,
        input_cache_write_1h: price,
        discount: fc.constantFrom(0, 0.1, 1e-7, 1e300)
      },
      { requiredKeys: ["prompt", "completion"] }
    ),
    quantization: nullable(text),
    status: fc.constantFrom(0, -1, -10, 2_147_483_647),
    supported_parameters: words,
    supports_implicit_caching: flag,
    supports_tool_choice: nullable(fc.record({ auto: flag, function: flag, none: flag, required: flag })),
    data_regions: fc.array(fc.constantFrom("global", "europe", "us"), { minLength: 1, maxLength: 4 }),
    zero_data_retention: flag,
    trains_on_data: flag,
    publishes_prompts: flag
  },
  { requiredKeys: ["name", "provider_name", "provider_slug", "tag", "context_length", "pricing"] }
)

const model = fc
  .record(
    {
      id: name,
      canonical_slug: nullable(name),
      name: text,
      created: count,
      description: text,
      public: flag,
      architecture: fc.record(
        { input_modalities: words, output_modalities: words, modality: nullable(text), tokenizer: nullable(text) },
        { requiredKeys: ["input_modalities", "output_modalities"] }
      ),
      endpoints: fc.array(endpoint, { maxLength: 3 })
    },
    { requiredKeys: ["id", "name", "created", "architecture", "endpoints"] }
  )
  .map((fields) => CatalogModel.parse(fields))

const models = fc.uniqueArray(model, { selector: ({ id }) => id, maxLength: 5 })

/** What follows the last colon of the last segment. */
const cut = (whole: string): readonly [base: string, suffix: string] => {
  const match = /^(.*?)([^/]+):([^:/]+)$/s.exec(whole)
  return match === null ? [whole, ""] : [`${match[1]}${match[2]}`, match[3] ?? ""]
}

/** The entry that a name means, by going through every entry once for every way to mean it. */
const meant = (asked: string, catalog: readonly CatalogModel[]): CatalogModel | undefined => {
  const recorded = ({ id, canonical_slug }: CatalogModel) => {
    const suffix = cut(canonical_slug)[1] || cut(id)[1]
    return suffix === "" ? canonical_slug : `${cut(canonical_slug)[0]}:${suffix}`
  }
  const ordered = [...catalog].sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const wanted of new Set([asked, cut(asked)[0]]))
    for (const known of [
      ({ id }: CatalogModel) => id,
      recorded,
      ({ canonical_slug }: CatalogModel) => canonical_slug
    ]) {
      const found = ordered.find((entry) => known(entry) === wanted)
      if (found !== undefined) return found
    }
  return undefined
}

const expectedName = (asked: string, catalog: readonly CatalogModel[]): ResolvedModel | undefined => {
  const entry = meant(asked, catalog)
  if (entry === undefined) return undefined
  const [base, suffix] = cut(entry.canonical_slug)
  const { input_modalities, output_modalities } = entry.architecture
  return { slug: base, variant: suffix || cut(asked)[1], input_modalities, output_modalities }
}

/** Registers the property for a store. The catalog is never emptied: each run goes on where the last one ended. */
export const modelCatalogAgreement = (
  title: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly runs?: number } = {}
): void => {
  describe(`the model catalog on ${title}`, () => {
    const run = storeUnderTest(makeStore, now)
    const catalog = new Map<string, CatalogModel>()

    it("keeps what was written last, and finds it by each of its names", { timeout: 300_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(models, fc.array(asked, { maxLength: 8 }), async (written, names) => {
          await run(Effect.flatMap(ModelCatalog, (port) => port.upsert(written, new Date(now).toISOString())))
          for (const model of written) catalog.set(model.id, model)
          const all = [...catalog.values()]
          const [found, resolved] = await run(
            Effect.flatMap(ModelCatalog, (port) => Effect.all([port.named(null, names), port.resolve(null, names)]))
          )
          assert.strictEqual(new Set(found.map(({ id }) => id)).size, found.length)
          const ids = found.map(({ id }) => id)
          const read = await run(Effect.flatMap(ModelCatalog, (port) => port.read(null, [...ids, "acme/nothing"])))
          assert.sameMembers(
            read.map(({ id }) => id),
            ids
          )
          for (const entry of read) assert.deepEqual(entry, catalog.get(entry.id))
          for (const { id, ...named } of found) {
            const entry = catalog.get(id)
            const { canonical_slug, name, architecture } = entry ?? assert.fail(`${id} was never written`)
            assert.deepEqual(named, { canonical_slug, name, architecture })
          }
          for (const asked of names) {
            assert.strictEqual(findModel(asked, found)?.id, meant(asked, all)?.id, asked)
            assert.deepEqual(resolved.get(asked), expectedName(asked, all), asked)
          }
        }),
        { numRuns: options.runs ?? 200 }
      )
    })

    it("writes all of a request or nothing, whatever else is written meanwhile", async () => {
      const at = new Date(now).toISOString()
      const written = (round: number, reversed: boolean) => {
        const ids = Array.from({ length: 40 }, (_, index) => `together/m${index}`)
        return (reversed ? ids.toReversed() : ids).map((id) => catalogModel(id, { name: `round ${round}` }))
      }
      await run(
        Effect.flatMap(ModelCatalog, (port) =>
          Effect.all(
            Array.from({ length: 8 }, (_, round) => port.upsert(written(round, round % 2 === 1), at)),
            { concurrency: "unbounded" }
          )
        )
      )
      const names = written(0, false).map(({ id }) => id)
      const found = await run(Effect.flatMap(ModelCatalog, (port) => port.named(null, names)))
      assert.strictEqual(found.length, 40)
      assert.strictEqual(new Set(found.map((entry) => entry.name)).size, 1)
    })

    it("keeps an account's own models to it, and hides those whose names the installation takes", async () => {
      const author = `own-${crypto.randomUUID()}`
      const at = new Date(now).toISOString()
      const name = (slug: string) => `${author}/${slug}`
      const own = (slug: string, fields: object = {}) => catalogModel(name(slug), { name: "own", ...fields })
      const [mine, theirs] = await run(
        Effect.all([createAccount(`${author}-1`), createAccount(`${author}-2`)]).pipe(
          Effect.map((made) => made.map((account) => account?.account.id ?? ""))
        )
      )
      const catalog = <A>(use: (port: typeof ModelCatalog.Service) => Effect.Effect<A>) =>
        run(Effect.flatMap(ModelCatalog, use))
      const seen = async (account_id: string | null | undefined, ...slugs: readonly string[]) => {
        const names = slugs.map(name)
        const [found, resolved] = await catalog((port) =>
          Effect.all([port.named(account_id ?? null, names), port.resolve(account_id ?? null, names)])
        )
        return slugs.map((slug) => {
          const model = findModel(name(slug), found)
          assert.strictEqual(resolved.has(name(slug)), model !== undefined)
          return model === undefined
            ? undefined
            : `${model.own ? "own" : "installed"} ${model.id.slice(author.length + 1)}`
        })
      }
      const a = mine ?? ""
      const limits = { models: 4, endpoints: 8, characters: 100_000 }
      assert.isTrue(
        await catalog((port) =>
          port.upsertOwn(a, [own("one"), own("alias", { canonical_slug: name("two") }), own("three:beta")], limits)
        )
      )
      const all = ["one", "one:free", "alias", "two", "two:x", "three:beta", "three"] as const
      const ownEntries = ["own one", "own one", "own alias", "own alias", "own alias", "own three:beta", undefined]
      assert.deepEqual(await seen(a, ...all), ownEntries)
      for (const other of [theirs, null])
        assert.deepEqual(
          await seen(other, ...all),
          all.map(() => undefined)
        )

      // All or nothing, and bounded; what is replaced takes no more room.
      assert.isFalse(await catalog((port) => port.upsertOwn(a, [own("four"), own("five")], limits)))
      assert.isTrue(await catalog((port) => port.upsertOwn(a, [own("one"), own("four")], limits)))
      const long = own("one", { description: "x".repeat(limits.characters) })
      const served = (at: string, count: number) =>
        own(at, { endpoints: Array.from({ length: count }, () => catalogEndpoint("home")) })
      for (const tooMuch of [[long], [served("one", 4), served("four", 5)]])
        assert.isFalse(await catalog((port) => port.upsertOwn(a, tooMuch, limits)))
      assert.isTrue(await catalog((port) => port.upsertOwn(a, [served("four", 4)], limits)))
      assert.isFalse(await catalog((port) => port.upsertOwn(a, [served("one", 5)], limits)))
      // All that is stored counts, whatever makes it long.
      const input_modalities = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(32, "m"))
      const told = (at: string) => own(at, { architecture: { input_modalities, output_modalities: input_modalities } })
      const narrow = { ...limits, characters: 1.5 * JSON.stringify(told("six")).length }
      assert.isFalse(await catalog((port) => port.upsertOwn(theirs ?? "", [told("six"), told("seven")], narrow)))
      assert.isTrue(await catalog((port) => port.upsertOwn(theirs ?? "", [told("six")], narrow)))
      assert.isFalse(await catalog((port) => port.upsertOwn(theirs ?? "", [told("seven")], narrow)))
      assert.isTrue(await catalog((port) => port.upsertOwn(a, [own("one"), own("four")], limits)))
      assert.deepEqual(await seen(a, "four", "five"), ["own four", undefined])

      // The installation's counts for everybody: by id, by canonical slug, with any variant.
      await catalog((port) =>
        port.upsert(
          [
            catalogModel(name("one:free")),
            catalogModel(name("x"), { canonical_slug: name("two:y") }),
            catalogModel(name("three"))
          ],
          at
        )
      )
      const hidden = [
        undefined,
        "installed one:free",
        undefined,
        undefined,
        undefined,
        "installed three",
        "installed three"
      ]
      for (const each of [a, theirs, null]) assert.deepEqual(await seen(each, ...all), hidden)
      assert.deepEqual(await seen(a, "four"), ["own four"])

      // A name without its variant, of which there may be no entry.
      const variants = async (account_id: string, ...slugs: readonly string[]) => {
        const found = await catalog((port) => port.variantsNamed(account_id, slugs.map(name)))
        return found.map(({ id }) => id.slice(author.length + 1)).sort()
      }
      const asked = ["one", "four", "three", "one:free", "three:"] as const
      assert.deepEqual(await variants(a, ...asked), ["one:free", "three:beta"])
      assert.deepEqual(await variants(theirs ?? "", ...asked), ["one:free"])
    })
  })
}
