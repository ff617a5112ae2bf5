/** Requests of a workspace that keeps input and output. */
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import { given } from "../usage/queryAnalytics/scene.ts"

type Fields = Readonly<Record<string, unknown>>

/** The workspace of the world keeps bodies from now on, of all keys unless the fields say otherwise. */
export const logging = async (world: World, fields: Fields = {}): Promise<void> => {
  const answer = await world.call("updateWorkspace", {
    params: { id: world.workspace_id },
    body: { is_observability_io_logging_enabled: true, ...fields }
  })
  assert.strictEqual(answer.status, 200, answer.text)
}

export const question = { messages: [{ role: "user", content: "What is 6 by 7?" }] }

/** Records requests of the world's key, with bodies. */
export const logged = (world: World, ...events: readonly Fields[]): Promise<void> =>
  given(
    world,
    ...events.map((fields, index) => ({
      id: `gen-${index}`,
      api_key_hash: world.normalKeyHash,
      input: question,
      output: "42",
      ...fields
    }))
  )

export const content = (world: World, id: string, key = world.managementKey): Promise<Answer> =>
  world.call("getGenerationContent", { query: { id }, key })
