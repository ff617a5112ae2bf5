/** Why no endpoint is left, in the error of a denial and of its explanation. Rule: admissions#availability. */
import { assert } from "@effect/vitest"
import type { Case } from "../../http/Case.ts"
import type { World } from "../../World.ts"
import { ask, explained, limitedKey, type Market, openMarket, restrict } from "../admissionWorld.ts"

type Fields = Readonly<Record<string, unknown>>

/** A request that is denied with this availability, and with a page on the reason. */
const unavailable = (
  code: string,
  reason: string,
  name: string,
  request: (world: World, market: Market) => Promise<Fields> | Fields,
  excluded?: { readonly excluded_by: readonly string[]; readonly detail?: string }
): Case => ({
  name: `unavailable, ${code}: ${name}`,
  status: 200,
  run: async (world) => {
    const market = await openMarket(world)
    const body = { model: market.sonnet, ...(await request(world, market)) }
    const answer = await ask(world, body)
    const { error } = answer.json.data
    const { excluded_by, detail } = excluded ?? {}
    assert.deepEqual(error.availability, {
      code,
      retryable: false,
      requested_models: [body.model],
      ...(excluded_by && { excluded_by }),
      ...(detail !== undefined && { constraint: { field: excluded_by?.[0], detail } }),
      docs_url: `../errors/${reason}`
    })
    assert.deepInclude(error.metadata, { reason, availability: error.availability })
    assert.deepEqual((await explained(world, body)).json.data.error, error)
    return answer
  }
})

/** A model of the account that no endpoint serves. */
const deserted = async (world: World): Promise<Fields> => {
  const id = `acme-${crypto.randomUUID()}/deserted`
  const architecture = { input_modalities: ["text"], output_modalities: ["text"] }
  await world.call("putCatalog", {
    body: { models: [{ id, name: "deserted", created: 0, architecture, endpoints: [] }] }
  })
  return { model: id }
}

export const availabilities: readonly Case[] = [
  unavailable("model_not_found", "unknown_model", "no model of this name", () => ({ model: "acme/nothing" })),
  unavailable("no_endpoints", "unknown_model", "a model without endpoints", deserted),
  unavailable(
    "region_restricted",
    "region_not_allowed",
    "a region that the key may not use",
    async (world) => {
      await restrict(world, { allowed_data_regions: ["europe"] })
      return { ingress_region: "us" }
    },
    { excluded_by: ["data_region"] }
  ),
  unavailable(
    "privacy_restricted",
    "no_endpoint_allowed",
    "training, of the only endpoint",
    async (world, { mini: model }) => {
      await restrict(world, { enable_free_model_training: false })
      return { model }
    },
    { excluded_by: ["data_policy:training"] }
  ),
  unavailable(
    "privacy_restricted",
    "no_endpoint_allowed",
    "one endpoint retains what is sent, and the other is ignored",
    () => ({ provider: { zdr: true, ignore: ["openai"] } }),
    { excluded_by: ["allowed_providers", "data_policy:zdr"] }
  ),
  unavailable(
    "constraint_filtered",
    "no_endpoint_allowed",
    "providers that none of the endpoints is at, and a price that none has; no budget is named",
    async (world) => ({
      api_key_hash: await limitedKey(world, 0.01),
      provider: { only: ["xai"], max_price: { prompt: "0" } }
    }),
    {
      excluded_by: ["allowed_providers", "max_price"],
      detail: "Endpoints were removed by provider.only, provider.max_price."
    }
  ),
  unavailable(
    "constraint_filtered",
    "no_known_price",
    "a price that the catalog does not have, under a budget",
    async (world) => ({ api_key_hash: await limitedKey(world, 1), service_tier: "priority" }),
    { excluded_by: ["service_tier"], detail: "Endpoints were removed by service_tier." }
  ),
  {
    name: "a denial of another kind says nothing of availability",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      return ask(world, { model, api_key_hash: await limitedKey(world, 1), max_cost_usd: "2" })
    },
    check: ({ json: { data } }) => {
      assert.strictEqual(data.status, 402)
      assert.notProperty(data.error, "availability")
      assert.notProperty(data.error.metadata, "availability")
    }
  }
]
