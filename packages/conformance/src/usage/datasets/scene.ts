/** What the cases of the datasets have in common: the limit that all share, and apps that no other case has. */
import { assert } from "@effect/vitest"
import type { OperationId } from "@gatewarden/contract"
import type { World } from "../../World.ts"
import { type Case, reasonIs } from "../../http/Case.ts"
import { newAuthor, record } from "../../model/catalog.ts"
import { limitOf } from "../getRankingsDaily/scene.ts"

export const dayMillis = 86_400_000
export const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

/** A host that no other case has. */
export const newHost = (): string => `${newAuthor()}.example`

/** Events of an app, of a model that no list has unless the fields name one: each is `[day or instant, tokens, fields]`. */
export const use = (
  world: World,
  host: string,
  ...events: readonly (readonly [at: string, prompt_tokens: number, fields?: Readonly<Record<string, unknown>>])[]
): Promise<void> =>
  record(
    world,
    ...events.map(([at, prompt_tokens, fields]) => ({
      model: "acme/unlisted",
      created_at: at.length === 10 ? `${at}T12:00:00Z` : at,
      origin: `https://${host}`,
      prompt_tokens,
      ...fields
    }))
  )

/** A report of the world's own management key, which counts for its account alone. */
export const reportOneself = async (world: World, fields: Readonly<Record<string, unknown>>): Promise<void> => {
  const answer = await world.call("recordUsageEvents", {
    key: world.managementKey,
    body: {
      events: [
        {
          id: crypto.randomUUID(),
          provider: "acme",
          model: "acme/unlisted",
          prompt_tokens: 1_000_000,
          completion_tokens: 0,
          cost_usd: "9",
          ...fields
        }
      ]
    }
  })
  assert.strictEqual(answer.status, 200, answer.text)
}

/** All datasets count against the same limits. */
export const sharedLimit = (operation: OperationId): Case => ({
  name: "the 31st request of a key for any dataset within a minute",
  status: 429,
  run: async (world) => {
    for (let count = 1; count <= 30; count++) {
      const answer = await world.call(count % 2 === 0 ? "getRankingsDaily" : operation, { query: {} })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(limitOf(answer, "minute"), 30 - count)
      assert.strictEqual(limitOf(answer, "day"), 500 - count)
    }
    return world.call(operation, { query: {} })
  },
  check: (answer) => {
    reasonIs("rate_limited")(answer)
    assert.strictEqual(answer.headers.get("retry-after"), "60")
  }
})
