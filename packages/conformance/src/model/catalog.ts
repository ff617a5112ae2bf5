/** Models to list and events to record, for the cases that need some. The catalog is of the whole installation: authors are unique. */
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"

type Fields = Readonly<Record<string, unknown>>

let authors = 0

/** An author that no other case has. */
export const newAuthor = (): string => `author-${++authors}-${crypto.randomUUID().slice(0, 8)}`

export const endpoint = (fields: Fields = {}): Fields => ({
  name: "Acme | model",
  model_name: "Model",
  provider_name: "Acme",
  provider_slug: "acme",
  tag: "acme/fp8",
  context_length: 8192,
  pricing: { prompt: "0.000001", completion: "0.000002" },
  supported_parameters: ["temperature", "tools"],
  supports_implicit_caching: false,
  ...fields
})

export const model = (id: string, fields: Fields = {}): Fields => ({
  id,
  name: "Model",
  created: 1_767_225_600,
  description: "For tests",
  architecture: {
    input_modalities: ["text"],
    output_modalities: ["text"],
    modality: "text->text",
    instruct_type: "chatml",
    tokenizer: "Other"
  },
  endpoints: [endpoint()],
  ...fields
})

export const list = async (world: World, ...models: readonly Fields[]): Promise<void> => {
  const answer = await world.call("putCatalog", { body: { models } })
  assert.strictEqual(answer.status, 200, answer.text)
}

/** Records events of the world's account, as the operator's data plane; a field that is not given has the smallest value there is. */
export const record = async (world: World, ...events: readonly Fields[]): Promise<void> => {
  const answer = await world.call("recordUsageEvents", {
    key: world.gatewayKey,
    body: {
      events: events.map((event) => ({
        id: crypto.randomUUID(),
        account_id: world.account_id,
        provider: "acme",
        prompt_tokens: 0,
        completion_tokens: 0,
        cost_usd: "0",
        ...event
      }))
    }
  })
  assert.strictEqual(answer.status, 200, answer.text)
}
