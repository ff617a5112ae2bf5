/** Models of an account's own: visible to and usable by it alone, beside the installation's, whose names they cannot take. */
import { assert } from "@effect/vitest"
import type { World } from "../../World.ts"
import { ask, explained, limitedKey, openMarket, report, restrict } from "../../admission/admissionWorld.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { endpoint, list, model, newAuthor } from "../catalog.ts"

const putOwn = (world: World, models: readonly object[], key = world.managementKey) =>
  world.call("putCatalog", { query: { account: "own" }, body: { models }, key })

const read = (world: World, id: string) => {
  const [author = "", slug = ""] = id.split("/")
  return world.call("listEndpoints", { params: { author, slug } })
}

const atHome = (id: string, fields: object = {}) =>
  model(id, {
    endpoints: [endpoint({ provider_slug: "home", provider_name: "Home", tag: "home", pricing, ...fields })]
  })

const pricing = { prompt: "0.001", completion: "0.001" }

const decision = async (world: World, name: string): Promise<string> =>
  (await ask(world, { model: name })).json.data.decision

const refusedNames = (name: string, installed: object, own: object): Case => ({
  name: `an own model that takes ${name}`,
  status: 400,
  run: async (world) => {
    const author = newAuthor()
    await list(world, model(`${author}/m`, withAuthor(author, installed)))
    return putOwn(world, [model(`${author}/fine`), model(`${author}/m`, withAuthor(author, own))])
  },
  check: ({ json }) => {
    assert.strictEqual(json.error.metadata.reason, "model_taken")
    assert.deepEqual(
      json.error.metadata.issues.map(({ path }: { readonly path: string }) => path),
      ["models.1.id"]
    )
  }
})

const withAuthor = (author: string, fields: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(fields).replaceAll("AUTHOR", author)) as Record<string, unknown>

export const ownModels: readonly Case[] = [
  {
    name: "an own model is seen and used by its account alone",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const name = `${newAuthor()}/mine`
      // Asked for before there is one, so that nothing that is remembered stands in the way.
      for (const each of [world, other]) assert.strictEqual(await decision(each, name), "deny")
      const answer = await putOwn(world, [atHome(name, { zero_data_retention: true })])
      assert.strictEqual((await read(world, name)).status, 200)
      assert.strictEqual((await read(other, name)).status, 404)
      assert.strictEqual(await decision(world, name), "allow")
      assert.strictEqual(await decision(other, name), "deny")
      assert.strictEqual((await ask(world, { model: name }, world.gatewayKey)).json.data.decision, "allow")
      assert.strictEqual((await ask(other, { model: name }, world.gatewayKey)).json.data.decision, "deny")
      assert.strictEqual((await explained(world, { model: name })).json.data.decision, "allow")
      assert.strictEqual((await explained(other, { model: name })).json.data.decision, "deny")
      // Two accounts may have the same name, with endpoints of their own.
      await putOwn(other, [atHome(name, { provider_slug: "elsewhere", tag: "elsewhere" })])
      const [first, second] = await Promise.all([world, other].map((each) => ask(each, { model: name })))
      assert.deepInclude(first?.json.data.candidates[0], { provider: "home", own_model: true })
      assert.strictEqual(second?.json.data.candidates[0].provider, "elsewhere")
      return answer
    },
    check: ({ json }) => assert.deepEqual(json, { data: { models: 1, endpoints: 1 } })
  },
  {
    name: "policy, presets, costs and usage know an own model",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const name = `${author}/mine`
      await putOwn(world, [atHome(name), atHome(`${author}/else`)])
      await restrict(world, { allowed_models: [name] })
      assert.strictEqual(await decision(world, name), "allow")
      assert.strictEqual(await decision(world, `${author}/else`), "deny")
      const preset = { model: name, messages: [{ role: "user", content: "Hi" }] }
      await world.call("createPreset", { params: { slug: "mine" }, body: preset })
      assert.strictEqual(await decision(world, "@preset/mine"), "allow")
      const hash = await limitedKey(world, 50)
      const held = await ask(world, { model: name, api_key_hash: hash, max_completion_tokens: 100 })
      const settled = await world.call("settleAdmission", {
        params: { id: held.json.data.id },
        body: report(world, "0", {
          model: name,
          provider: "home",
          cost_usd: null,
          prompt_tokens: 20,
          completion_tokens: 30
        })
      })
      assert.strictEqual(settled.json.data.charged[0].amount_usd, "0.05")
      return read(world, name)
    },
    // What the account reports of its own model it sees itself.
    check: ({ json }) => assert.deepInclude(json.data.endpoints[0], { tag: "home", uptime_last_1d: 100 })
  },
  {
    name: "an own model ranks nowhere, and another account's reports are not of it",
    status: 200,
    run: async (world) => {
      const other = await world.other()
      const name = `${newAuthor()}/mine`
      await putOwn(world, [atHome(name)])
      const created_at = "2026-03-03T12:00:00Z"
      const event = {
        created_at,
        model: name,
        provider: "home",
        endpoint_tag: "home",
        prompt_tokens: 9,
        completion_tokens: 0,
        cost_usd: "0"
      }
      const events = [world, other].flatMap(({ account_id }, at) => [
        { ...event, account_id, id: `x-${at}` },
        { ...event, account_id, id: `y-${at}`, created_at: "2026-03-04T11:59:00Z", status: at === 0 ? "ok" : "error" }
      ])
      await world.call("recordUsageEvents", { body: { events }, key: world.gatewayKey })
      const ranked = await world.call("getRankingsDaily", {
        query: { start_date: "2026-03-03", end_date: "2026-03-03" }
      })
      assert.notInclude(ranked.text, name)
      return read(world, name)
    },
    check: ({ json }) => assert.deepInclude(json.data.endpoints[0], { uptime_last_1d: 100 })
  },
  {
    name: "a name that the operator imports later is the installation's for everybody, until then the account's",
    status: 200,
    run: async (world) => {
      const author = newAuthor()
      const name = `${author}/mine`
      await putOwn(world, [atHome(name), atHome(`${author}/kept`)])
      assert.strictEqual((await ask(world, { model: name })).json.data.candidates[0].provider, "home")
      await list(world, model(name, { endpoints: [endpoint({ provider_slug: "openai", provider_name: "OpenAI" })] }))
      const other = await world.other()
      for (const each of [world, other])
        assert.strictEqual((await ask(each, { model: name })).json.data.candidates[0].provider, "openai")
      assert.strictEqual((await putOwn(world, [atHome(name)])).status, 400)
      return ask(world, { model: `${author}/kept` })
    },
    check: ({ json }) => assert.strictEqual(json.data.candidates[0].provider, "home")
  },
  {
    name: "an own model changes nothing of a model that the installation has, though its variant is free",
    status: 400,
    run: async (world) => {
      const market = await openMarket(world)
      const answer = await putOwn(world, [atHome(`${market.sonnet}:free`)])
      assert.lengthOf((await ask(world, { model: `${market.sonnet}:free` })).json.data.candidates, 2)
      return answer
    },
    check: reasonIs("model_taken")
  },
  refusedNames("an id", {}, {}),
  refusedNames("a canonical slug by its id", { id: "AUTHOR/x", canonical_slug: "AUTHOR/m" }, {}),
  refusedNames("an id by its canonical slug", { id: "AUTHOR/x" }, { canonical_slug: "AUTHOR/x" }),
  refusedNames("a slug that usage is recorded under", { id: "AUTHOR/x", canonical_slug: "AUTHOR/m:free" }, {}),
  {
    name: "an own model with the tag of another provider",
    status: 400,
    run: async (world) => {
      const author = newAuthor()
      const tagged = (slug: string, tag: string) => atHome(`${author}/${slug}`, { tag })
      assert.strictEqual((await putOwn(world, [tagged("a", "home"), tagged("b", "home/eu")])).status, 200)
      return putOwn(world, [
        tagged("c", "home"),
        tagged("d", "elsewhere"),
        tagged("e", "homely"),
        tagged("f", "home/fp8")
      ])
    },
    check: ({ json }) => {
      assert.strictEqual(json.error.metadata.reason, "invalid_request")
      assert.deepEqual(
        json.error.metadata.issues.map(({ path }: { readonly path: string }) => path),
        ["models.1.endpoints.0.tag", "models.2.endpoints.0.tag"]
      )
    }
  },
  {
    name: "more own models than an account may have",
    status: 400,
    run: async (world) => {
      const author = newAuthor()
      const many = (from: number, count: number) =>
        Array.from({ length: count }, (_, at) => model(`${author}/m-${from + at}`, { endpoints: [] }))
      assert.strictEqual((await putOwn(world, many(0, 1000))).status, 200)
      assert.strictEqual((await putOwn(world, many(0, 1000))).status, 200)
      return putOwn(world, many(1000, 1))
    },
    check: reasonIs("quota_exceeded")
  },
  {
    name: "more endpoints of own models than an account may have",
    status: 400,
    run: async (world) => {
      const author = newAuthor()
      const one = endpoint({ provider_slug: "home", provider_name: "Home", tag: "home" })
      const served = (index: number, count: number) =>
        model(`${author}/m-${index}`, { endpoints: Array.from({ length: count }, () => one) })
      const all = Array.from({ length: 20 }, (_, index) => served(index, 100))
      assert.strictEqual((await putOwn(world, all)).status, 200)
      return putOwn(world, [served(20, 1)])
    },
    check: reasonIs("quota_exceeded")
  },
  {
    name: "an own model that is too long, and one with too many endpoints",
    status: 400,
    run: (world) => {
      const author = newAuthor()
      const served = (name: string, endpoints: number, fields: object = {}) =>
        model(`${author}/${name}`, {
          endpoints: Array.from({ length: endpoints }, (_, at) =>
            endpoint({ provider_slug: "home", provider_name: "Home", tag: `home/${at}`, ...fields })
          )
        })
      const long = { supported_parameters: Array.from({ length: 100 }, (_, at) => `parameter-${at}`.repeat(3)) }
      return putOwn(world, [served("a", 100), served("b", 101), served("c", 100, long)])
    },
    check: ({ json }) => {
      const { reason, issues } = json.error.metadata
      assert.strictEqual(reason, "quota_exceeded")
      assert.deepEqual(
        issues.map(({ path }: { readonly path: string }) => path),
        ["models.1.endpoints", "models.2"]
      )
    }
  },
  {
    name: "a gateway key, which has no account of its own",
    status: 403,
    run: (world) => putOwn(world, [atHome(`${newAuthor()}/mine`)], world.gatewayKey),
    check: reasonIs("management_key_required")
  },
  {
    name: "a catalog of anybody else",
    status: 400,
    run: (world) => world.call("putCatalog", { query: { account: "theirs" }, body: { models: [] } })
  }
]
