/** Cases of one token each, and what the cases of exchanges share. */
import { assert } from "@effect/vitest"
import { Retention } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { Case } from "../../http/Case.ts"
import type { Answer, World } from "../../World.ts"
import { exchange, exchangeBody, goodToken, newPolicy } from "../federationCases.ts"
import { type IssuerFault, keySet } from "../tokenIssuers.ts"

export const nobody = "00000000-0000-4000-8000-000000000000"
export const minute = 60_000

export const errorIs =
  (error: string) =>
  ({ json, headers }: Answer): void => {
    assert.strictEqual(json.error, error)
    assert.strictEqual(headers.get("cache-control"), "no-store")
  }

export const later = (world: World, millis: number) => {
  world.installation.clock.now += millis
}

export const sweep = async (world: World): Promise<number> => {
  const swept = await world.installation.run(
    Effect.flatMap(Retention, (retention) => retention.sweep("token_exchanges", 0, 1_000))
  )
  return swept === 0 ? 0 : swept + (await sweep(world))
}

export const currentKey = (world: World, { json }: Answer) => world.call("getCurrentKey", { key: json.access_token })

export const keys = async (world: World): Promise<readonly { name: string }[]> =>
  (await world.call("listKeys")).json.data.filter(({ name }: { name: string }) => name !== "normal")

/** A token that is accepted. */
export const good = (name: string, claims: (world: World) => object, fields: object = {}): Case => ({
  name,
  status: 200,
  run: async (world) => exchange(world, (await newPolicy(world, fields)).id, goodToken(world, claims(world)))
})

/** A token that is refused, and makes no key. */
export const bad = (name: string, token: (world: World) => string, fields: object = {}): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const policy = await newPolicy(world, fields)
    const answer = await exchange(world, policy.id, token(world))
    assert.deepEqual(await keys(world), [])
    return answer
  },
  check: errorIs("invalid_grant")
})

export const badClaims = (name: string, claims: (world: World) => object, fields: object = {}): Case =>
  bad(name, (world) => goodToken(world, claims(world)), fields)

export const seconds = (world: World, more: number) => Math.floor(world.installation.clock.now / 1000) + more

/** A request that is no exchange. */
export const malformed = (name: string, error: string, change: object): Case => ({
  name,
  status: 400,
  run: async (world) => {
    const body = { ...exchangeBody((await newPolicy(world)).id, goodToken(world)), ...change }
    return world.call("exchangeToken", { body })
  },
  check: errorIs(error)
})

/** What happens while the issuer fails, whose keys nobody knows yet. */
export const unavailable = (fault: IssuerFault, fields: object = {}): Case => ({
  name: `the issuer fails: ${fault} ${JSON.stringify(fields)}`,
  status: 503,
  run: async (world) => {
    // Another address for each case, because an installation remembers keys and failures.
    const policy = await newPolicy(world, { ...fields, jwks_uri: `${keySet}?${fault}` })
    world.installation.issuers.fault = fault
    try {
      return await exchange(world, policy.id, goodToken(world))
    } finally {
      world.installation.issuers.mend()
    }
  },
  check: (answer) => {
    errorIs("temporarily_unavailable")(answer)
    assert.strictEqual(answer.headers.get("retry-after"), "10")
  }
})
