import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { ask, openMarket, restrict } from "../admission/admissionWorld.ts"
import { type Case, type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"
import { endpoint, list, model, newAuthor } from "./catalog.ts"
import { ownModels } from "./putCatalog/ownModels.ts"

const bad = (name: string, body: unknown, path: string, reason?: string) =>
  refused("putCatalog", name, { body }, { path, reason })

const badModel = (name: string, fields: Record<string, unknown>, path: string, reason?: string) =>
  bad(name, { models: [model("acme/refused", fields)] }, `models.0.${path}`, reason)

const badEndpoint = (name: string, fields: Record<string, unknown>, path: string) =>
  badModel(name, { endpoints: [endpoint(), endpoint(fields)] }, `endpoints.1.${path}`)

const badPrice = (price: unknown) =>
  badEndpoint(`the price ${JSON.stringify(price)}`, { pricing: { prompt: price, completion: "0" } }, "pricing.prompt")

const read = (world: World, author: string, slug: string) => world.call("listEndpoints", { params: { author, slug } })

const accepted = (name: string, run: (world: World) => ReturnType<Case["run"]>, check: Case["check"]): Case => ({
  name,
  status: 200,
  run,
  ...(check === undefined ? {} : { check })
})

export const putCatalog: CasesOf = {
  operation: "putCatalog",
  cases: [
    accepted(
      "counts the models and their endpoints",
      (world) => {
        const author = newAuthor()
        const models = [
          model(`${author}/one`, { endpoints: [endpoint({ tag: "a" }), endpoint({ tag: "b" })] }),
          model(`${author}/two`, { endpoints: [] }),
          model(`${author}/one:free`)
        ]
        return world.call("putCatalog", { body: { models } })
      },
      ({ json }) => assert.deepEqual(json, { data: { models: 3, endpoints: 3 } })
    ),
    accepted(
      "no models",
      (world) => world.call("putCatalog", { body: { models: [] } }),
      ({ json }) => assert.deepEqual(json, { data: { models: 0, endpoints: 0 } })
    ),
    accepted(
      "a model with no more than it must have",
      async (world) => {
        const author = newAuthor()
        const { name, provider_name, provider_slug, tag, context_length, pricing } = endpoint()
        const { created, architecture } = model("a/b")
        const { input_modalities, output_modalities } = architecture as Record<string, unknown>
        await list(world, {
          id: `${author}/small`,
          name: "Small",
          created,
          architecture: { input_modalities, output_modalities },
          endpoints: [{ name, provider_name, provider_slug, tag, context_length, pricing }]
        })
        return read(world, author, "small")
      },
      ({ json: { data } }) => {
        assert.deepInclude(data, { description: "", name: "Small" })
        assert.deepEqual(data.architecture, {
          input_modalities: ["text"],
          output_modalities: ["text"],
          modality: "text->text",
          instruct_type: null,
          tokenizer: null
        })
        assert.deepInclude(data.endpoints[0], {
          model_name: "Small",
          max_completion_tokens: null,
          max_prompt_tokens: null,
          quantization: null,
          status: "0",
          supported_parameters: [],
          supports_implicit_caching: false,
          supports_tool_choice: { auto: false, function: false, none: false, required: false },
          pricing: { prompt: "0.000001", completion: "0.000002", request: "0", image: "0" }
        })
      }
    ),
    accepted(
      "what it does not know is not kept",
      async (world) => {
        const author = newAuthor()
        const pricing = { prompt: "1", completion: "2", secret: "3" }
        await list(world, model(`${author}/m`, { secret: 1, endpoints: [endpoint({ secret: 2, pricing })] }))
        return read(world, author, "m")
      },
      ({ text }) => assert.notInclude(text, "secret")
    ),
    accepted(
      "a model is replaced with its whole endpoint list, and others stay",
      async (world) => {
        const author = newAuthor()
        await list(
          world,
          model(`${author}/m`, { endpoints: [endpoint({ tag: "a" }), endpoint({ tag: "b" })] }),
          model(`${author}/n`)
        )
        await list(world, model(`${author}/m`, { name: "Renamed", endpoints: [endpoint({ tag: "c" })] }))
        assert.strictEqual((await read(world, author, "n")).status, 200)
        return read(world, author, "m")
      },
      ({ json: { data } }) => {
        assert.strictEqual(data.name, "Renamed")
        assert.deepEqual(
          data.endpoints.map(({ tag }: { tag: string }) => tag),
          ["c"]
        )
      }
    ),
    accepted(
      "written by one account, read by another",
      async (world) => {
        const author = newAuthor()
        await list(world, model(`${author}/m`))
        return read(await world.other(), author, "m")
      },
      undefined
    ),
    accepted(
      "more than the ordinary cap of a body",
      (world) => {
        const author = newAuthor()
        const models = Array.from({ length: 20 }, (_, index) =>
          model(`${author}/m${index}`, { description: "d".repeat(80_000) })
        )
        return world.call("putCatalog", { body: { models } })
      },
      ({ json }) => assert.deepEqual(json.data, { models: 20, endpoints: 20 })
    ),
    accepted(
      "texts beyond the basic plane, names of object members, every extra price",
      async (world) => {
        const author = newAuthor()
        const pricing = {
          prompt: "0",
          completion: "999999999999999.123456789012345678901234",
          request: "0.5",
          image: "1",
          audio: "2",
          audio_output: "3",
          image_output: "4",
          image_token: "5",
          input_audio_cache: "6",
          input_cache_read: "7",
          input_cache_write: "8",
          input_cache_write_1h: "9",
          internal_reasoning: "10",
          web_search: "11",
          discount: 0.25,
          overrides: [{ min_prompt_tokens: 200_000, prompt: "0.1", utc_days: ["monday"], utc_start: 0, utc_end: 2400 }]
        }
        await list(
          world,
          model(`${author}/__proto__:\u{1f600}`, { description: "\u{1f600}\u200d", endpoints: [endpoint({ pricing })] })
        )
        const answer = await read(world, author, "__proto__:\u{1f600}")
        assert.deepEqual(answer.json.data.endpoints[0].pricing, pricing)
        return answer
      },
      ({ json: { data } }) => assert.strictEqual(data.description, "\u{1f600}\u200d")
    ),
    accepted(
      "prices that are not known: absent, null and -1 are the same",
      async (world) => {
        const author = newAuthor()
        const prices = [
          {},
          { prompt: null, completion: null },
          { prompt: "-1", completion: "-1", image: null, audio: null }
        ]
        await list(
          world,
          model(`${author}/m`, { endpoints: prices.map((pricing, index) => endpoint({ tag: `e${index}`, pricing })) })
        )
        return read(world, author, "m")
      },
      ({ json: { data } }) =>
        assert.deepEqual(
          data.endpoints.map(({ pricing }: { pricing: unknown }) => pricing),
          Array.from({ length: 3 }, () => ({ prompt: "-1", completion: "-1", request: "0", image: "0" }))
        )
    ),
    {
      name: "all or nothing",
      status: 404,
      run: async (world) => {
        const author = newAuthor()
        const refusal = await world.call("putCatalog", {
          body: { models: [model(`${author}/good`), model(`${author}/bad`, { created: "now" })] }
        })
        assert.strictEqual(refusal.status, 400)
        return read(world, author, "good")
      }
    },
    ...managementOnly("putCatalog", () => ({ body: { models: [] } })),
    bad("no models at all", {}, "models"),
    bad("models that are no list", { models: { id: "acme/one" } }, "models"),
    bad("one id twice", { models: [model("acme/one"), model("acme/two"), model("acme/one")] }, "models.2.id"),
    bad("an id without an author", { models: [model("one")] }, "models.0.id"),
    bad("an id of three segments", { models: [model("acme/one/two")] }, "models.0.id"),
    bad("an id without a slug", { models: [model("acme/")] }, "models.0.id"),
    bad("an id without a slug before the variant", { models: [model("acme/:free")] }, "models.0.id"),
    bad("an id with an empty variant", { models: [model("acme/one:")] }, "models.0.id"),
    bad("an id with a space", { models: [model("acme/one two")] }, "models.0.id"),
    bad("an id of 257 characters", { models: [model(`acme/${"x".repeat(252)}`)] }, "models.0.id"),
    badModel("the canonical slug of the aggregate", { canonical_slug: "other" }, "canonical_slug", "reserved_model"),
    bad("the id of the aggregate", { models: [model("other")] }, "models.0.id", "reserved_model"),
    badModel("a canonical slug without an author", { canonical_slug: "one" }, "canonical_slug"),
    badModel("no name", { name: undefined }, "name"),
    badModel("a fraction of a second", { created: 1.5 }, "created"),
    badModel("no endpoints", { endpoints: undefined }, "endpoints"),
    badModel("no architecture", { architecture: undefined }, "architecture"),
    badModel(
      "modalities that are no list",
      { architecture: { input_modalities: "text", output_modalities: [] } },
      "architecture.input_modalities"
    ),
    badModel("a publicity that is no boolean", { public: "no" }, "public"),
    badEndpoint("no tag", { tag: undefined }, "tag"),
    badEndpoint("no provider", { provider_slug: undefined }, "provider_slug"),
    badEndpoint("a negative context length", { context_length: -1 }, "context_length"),
    badEndpoint("a maximum of no completion tokens", { max_completion_tokens: 0 }, "max_completion_tokens"),
    badEndpoint("a maximum of no prompt tokens", { max_prompt_tokens: 0 }, "max_prompt_tokens"),
    badEndpoint("a status that is no integer", { status: 0.5 }, "status"),
    badEndpoint("an empty region list", { data_regions: [] }, "data_regions"),
    badEndpoint("an unknown region", { data_regions: ["mars"] }, "data_regions.0"),
    ...["", "-2", "-1.0", "1e-6", "free", "01", ".5", "1.", "1,5", "NaN", 0.5].map(badPrice),
    {
      name: "another account's management key, which changes nothing",
      status: 403,
      run: async (world) => {
        const other = await world.other()
        const market = await openMarket(world)
        await restrict(world, { enforce_zdr: true })
        const denied = await ask(world, { model: market.mini })
        assert.strictEqual(denied.json.data.status, 404)
        // The attack: the same model at an endpoint of the attacker's, which promises to retain nothing, free of charge.
        const answer = await other.call("putCatalog", {
          key: other.managementKey,
          body: {
            models: [
              model(market.mini, {
                endpoints: [endpoint({ zero_data_retention: true, pricing: { prompt: "0", completion: "0" } })]
              }),
              model(market.sonnet, { endpoints: [] })
            ]
          }
        })
        assert.strictEqual((await ask(world, { model: market.mini })).json.data.decision, "deny")
        assert.lengthOf((await ask(world, { model: market.sonnet })).json.data.candidates, 1)
        return answer
      },
      check: reasonIs("operator_required")
    },
    accepted(
      "a gateway key, as a management key of the operator's account",
      async (world) => {
        const author = newAuthor()
        await world.call("putCatalog", { key: world.gatewayKey, body: { models: [model(`${author}/one`)] } })
        return read(world, author, "one")
      },
      ({ json }) => assert.isNotEmpty(json.data.id)
    ),
    ...ownModels,
    {
      name: "a body of more than 32 MiB",
      status: 413,
      run: (world) => world.call("putCatalog", { body: `{"models":[]${" ".repeat(32 * 1_048_576)}}` })
    },
    {
      name: "another media type",
      status: 415,
      run: (world) => world.call("putCatalog", { body: "models", headers: { "content-type": "text/plain" } })
    },
    storeGone("ModelCatalog", 500, (world) => world.call("putCatalog", { body: { models: [model("acme/gone")] } }))
  ]
}
