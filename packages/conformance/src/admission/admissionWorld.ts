/** A catalog of its own for each case, and what its keys ask of it. */
import type { Answer, World } from "../World.ts"

export interface Market {
  /** `acme-…/sonnet`: two endpoints, at acme (Europe, retains nothing) and at globex. */
  readonly sonnet: string
  /** `acme-…/mini`: one free endpoint at globex that trains on what it gets. */
  readonly mini: string
}

const endpoint = (provider: string, fields: object = {}) => ({
  name: `${provider} endpoint`,
  provider_name: provider,
  provider_slug: provider,
  tag: `${provider}/fp8`,
  context_length: 100_000,
  // A dollar a thousand tokens.
  pricing: { prompt: "0.001", completion: "0.001" },
  ...fields
})

/** The catalog belongs to the installation, so names are new each time. */
export const openMarket = async (world: World): Promise<Market> => {
  const author = `acme-${crypto.randomUUID()}`
  const model = (slug: string, endpoints: readonly object[]) => ({
    id: `${author}/${slug}`,
    name: slug,
    created: 0,
    architecture: { input_modalities: ["text"], output_modalities: ["text"] },
    endpoints
  })
  await world.call("putCatalog", {
    body: {
      models: [
        model("sonnet", [
          endpoint("openai", { data_regions: ["global", "europe"], zero_data_retention: true }),
          endpoint("anthropic")
        ]),
        model("mini", [endpoint("anthropic", { trains_on_data: true, pricing: { prompt: "0", completion: "0" } })])
      ]
    }
  })
  return { sonnet: `${author}/sonnet`, mini: `${author}/mini` }
}

type Fields = Readonly<Record<string, unknown>>

/** Asks for an admission of the world's API key; by default in the name of its account. */
export const ask = (world: World, body: Fields, key = world.managementKey): Promise<Answer> =>
  world.call("createAdmission", { body: { api_key_hash: world.normalKeyHash, ...body }, key })

export const explained = (world: World, body: Fields, key = world.managementKey): Promise<Answer> =>
  world.call("createExplanation", { body: { api_key_hash: world.normalKeyHash, ...body }, key })

/** Changes the workspace's default guardrail, which applies without assignment. */
export const restrict = (world: World, fields: Fields): Promise<Answer> =>
  world.call("updateGuardrail", { params: { id: world.default_guardrail_id }, body: fields })

/** A key with a spending limit in USD, and its hash. */
export const limitedKey = async (world: World, limit: number, fields: Fields = {}): Promise<string> => {
  const made = await world.call("createKey", { body: { name: "limited", limit, ...fields } })
  return made.json.data.hash
}

/** Sets rates of a key, by default of the world's API key. */
export const limitRates = (world: World, body: Fields, hash = world.normalKeyHash): Promise<Answer> =>
  world.call("putKeyRateLimits", { params: { hash }, body })

/** The instant of the world's clock. */
export const nowOf = (world: World): string => new Date(world.installation.clock.now).toISOString()

export const report = (world: World, cost_usd: string, fields: Fields = {}) => ({
  event: {
    created_at: nowOf(world),
    model: "acme/sonnet",
    provider: "openai",
    prompt_tokens: 10,
    completion_tokens: 5,
    cost_usd,
    ...fields
  }
})

export const providersOf = (answer: Answer): readonly string[] =>
  answer.json.data.candidates.map(({ provider }: { provider: string }) => provider)
