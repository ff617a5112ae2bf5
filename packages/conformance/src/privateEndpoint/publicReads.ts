/** What an account's private endpoints serve, and what all accounts see of it: nothing (Rule: usage#public-statistics). */
import { assert } from "@effect/vitest"
import type { Case } from "../http/Case.ts"
import { list, model, record } from "../model/catalog.ts"
import { dayMillis, dayOf, newHost } from "../usage/datasets/scene.ts"
import { own, rank } from "../usage/getRankingsDaily/scene.ts"
import type { Answer, World } from "../World.ts"
import { activeEndpoint, bringKey, newProvider } from "./privateCases.ts"

const tokens = 987_654_321_987

/** An endpoint of the account's own provider, and what it and public endpoints served yesterday and a minute ago. */
const scene = async (world: World) => {
  const host = newHost()
  const { slug: provider_slug } = await newProvider(world, { name: `own-${host.slice(-40)}` })
  await bringKey(world, provider_slug)
  const { slug, id } = await activeEndpoint(world, { provider_slug, base_url: undefined, declared_zdr: true })
  const [author = ""] = slug.split("/")
  await list(world, model(`${author}/n`))
  const { now } = world.installation.clock
  const day = dayOf(now - dayMillis)
  const tag = `private/${id}`
  const served = (fields: object) => [
    { origin: `https://${host}`, ...fields, created_at: `${day}T12:00:00Z` },
    { origin: `https://${host}`, ...fields, created_at: new Date(now - 60_000).toISOString() }
  ]
  const ofPrivate = { model: `${slug}-1`, provider: provider_slug, endpoint_tag: tag, latency_ms: 7 }
  await record(
    world,
    ...served({ ...ofPrivate, prompt_tokens: tokens }),
    ...served({ model: `${slug}-1`, endpoint_tag: "acme/fp8", prompt_tokens: 100, latency_ms: 50 }),
    ...served({ model: `${author}/n`, endpoint_tag: "acme/fp8", prompt_tokens: 500, latency_ms: 20 })
  )
  return { author, host, day, tag, provider_slug }
}

const modelsOf = (answer: Answer, author: string): readonly string[] =>
  answer.json.data.map(({ id }: { readonly id: string }) => id).filter((id: string) => id.startsWith(`${author}/`))

export const publicReads: readonly Case[] = [
  {
    name: "what a private endpoint served ranks nowhere, and no other account sees it; its own account does",
    status: 200,
    run: async (world) => {
      const { author, host, day, tag, provider_slug } = await scene(world)
      const other = await world.other()
      const window = { start_date: day, end_date: day }
      // Twice, as the first may have summed the day for the second.
      for (let time = 0; time < 2; time++) {
        const ranked = own(await rank(world, window), author)
        assert.deepEqual(ranked.toSorted(), [
          [day, "m-1", "100"],
          [day, "n", "500"]
        ])
        const apps = (await world.call("getAppRankings", { query: window })).json.data as readonly {
          readonly app_name: string
          readonly total_tokens: string
        }[]
        assert.deepEqual(
          apps.filter(({ app_name }) => app_name.includes(host)).map(({ total_tokens }) => total_tokens),
          ["600"]
        )
      }
      // Of what accounts share, sums of tokens are held to the rule by the suite of `RankingsReader`: all cases share one for a minute.
      for (const who of [world, other]) {
        const query = { sort: "latency-low-to-high", model_authors: author }
        const listed = await who.call("listModels", { query })
        assert.deepEqual(modelsOf(listed, author), [`${author}/n`, `${author}/m`])
      }
      const params = { author, slug: "m" }
      const measured = async (who: World) =>
        (await who.call("listEndpoints", { params })).json.data.endpoints.map(
          (one: { readonly tag: string; readonly latency_last_30m: { readonly p50: number } | null }) => [
            one.tag,
            one.latency_last_30m?.p50
          ]
        )
      assert.deepEqual(await measured(other), [["acme/fp8", 50]])
      assert.deepEqual(await measured(world), [
        ["acme/fp8", 50],
        [tag, 7]
      ])
      for (const operation of ["listProviders", "listZdrEndpoints", "listModels"] as const) {
        const theirs = await other.call(operation)
        assert.strictEqual(theirs.status, 200)
        for (const name of [provider_slug, tag]) assert.notInclude(theirs.text, name, operation)
      }
      assert.include((await world.call("listProviders")).text, provider_slug)
      assert.include((await world.call("listZdrEndpoints")).text, tag)
      const activity = await world.call("getUserActivity", { query: { date: day } })
      assert.deepInclude(
        activity.json.data.map(({ endpoint_id, prompt_tokens }: Record<string, unknown>) => [
          endpoint_id,
          prompt_tokens
        ]),
        [tag, tokens]
      )
      return rank(other, window)
    },
    check: (answer) => assert.notInclude(answer.text, String(tokens))
  }
]
