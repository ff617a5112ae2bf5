import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { IssuerKeys, layerIssuerKeys } from "../../core/src/federation/IssuerKeys.ts"
import { type Fetch } from "../../core/src/platform/Fetch.ts"
import { OutgoingFetch } from "../../core/src/platform/OutgoingFetch.ts"

/** Counts the requests to each address; none is answered with keys. */
const silent = () => {
  const asked = new Map<string, number>()
  const fetch: Fetch = async (url) => {
    asked.set(url, (asked.get(url) ?? 0) + 1)
    return new Response("", { status: 500 })
  }
  return { asked, fetch, total: () => [...asked.values()].reduce((sum, count) => sum + count, 0) }
}

const at = (jwks_uri: string) => ({ issuer: "https://issuer.example.com", jwks_uri })

/** The reason for which there are no keys. */
const failure = (account_id: string, jwks_uri: string) =>
  Effect.flatMap(IssuerKeys, (keys) =>
    Effect.match(keys.of(account_id, at(jwks_uri)), { onSuccess: () => "keys", onFailure: ({ reason }) => reason })
  )

const run = <A, E>(fetch: Fetch, effect: Effect.Effect<A, E, IssuerKeys>) =>
  effect.pipe(Effect.provide(layerIssuerKeys), Effect.provideService(OutgoingFetch, fetch))

describe("IssuerKeys", () => {
  it.effect("asks an issuer that fails not sooner because a thousand others were named", () => {
    const { asked, fetch, total } = silent()
    return run(
      fetch,
      Effect.gen(function* () {
        const first = "https://victim.example.com/keys"
        assert.strictEqual(yield* failure("account", first), "issuer_unavailable")
        for (let number = 0; number < 1_500; number++)
          yield* failure(`account ${number % 20}`, `https://${number}.example.com/keys`)
        // Full, so that the others are refused without a request.
        assert.strictEqual(total(), 1_000)
        yield* failure("account", first)
        assert.strictEqual(asked.get(first), 1)
        yield* TestClock.adjust("31 seconds")
        yield* failure("account 1", "https://new.example.com/keys")
        assert.strictEqual(asked.get("https://new.example.com/keys"), 1)
      })
    )
  })

  it.effect("lets one account keep others from nothing", () => {
    const { asked, fetch, total } = silent()
    return run(
      fetch,
      Effect.gen(function* () {
        for (let number = 0; number < 300; number++) yield* failure("greedy", `https://${number}.example.com/keys`)
        assert.strictEqual(total(), 100)
        yield* failure("another", "https://other.example.com/keys")
        assert.strictEqual(asked.get("https://other.example.com/keys"), 1)
      })
    )
  })

  it.effect("asks a host at its pace, whatever the addresses there", () => {
    const { fetch, total } = silent()
    return run(
      fetch,
      Effect.gen(function* () {
        for (let number = 0; number < 90; number++)
          yield* failure(`account ${number % 9}`, `https://one.example.com/${number}`)
        assert.strictEqual(total(), 60)
        yield* TestClock.adjust("11 seconds")
        for (let number = 0; number < 90; number++)
          yield* failure(`account ${number % 9}`, `https://one.example.com/${number}`)
        assert.strictEqual(total(), 71)
      })
    )
  })

  it.effect("leaves turns of a host to others, however often one account asks there", () => {
    const { asked, fetch, total } = silent()
    return run(
      fetch,
      Effect.gen(function* () {
        for (let number = 0; number < 90; number++) yield* failure("greedy", `https://one.example.com/${number}`)
        assert.strictEqual(total(), 20)
        // Also of an address that was refused to the account a moment ago.
        yield* failure("another", "https://one.example.com/50")
        assert.strictEqual(asked.get("https://one.example.com/50"), 1)
        yield* failure("another", "https://one.example.com/other")
        assert.strictEqual(asked.get("https://one.example.com/other"), 1)
        yield* TestClock.adjust("11 seconds")
        for (let number = 0; number < 90; number++) yield* failure("greedy", `https://one.example.com/${number}`)
        assert.strictEqual(total(), 24)
      })
    )
  })

  it.effect("lets one account ask few hosts, though discovery leads to a host that it has asked too often", () => {
    const asked = new Set<string>()
    const fetch: Fetch = async (url) => {
      const { origin, host } = new URL(url)
      asked.add(host)
      return Response.json({ issuer: origin, jwks_uri: "https://keys.example.com/keys", keys: [] })
    }
    return run(
      fetch,
      Effect.gen(function* () {
        const keys = yield* IssuerKeys
        for (let number = 0; number < 20; number++) yield* failure("greedy", `https://keys.example.com/${number}`)
        for (let number = 0; number < 3_000; number++)
          yield* Effect.exit(keys.of("greedy", { issuer: `https://${number}.example.com`, jwks_uri: null }))
        assert.strictEqual(asked.size, 81)
        assert.strictEqual(yield* failure("another", "https://other.example.com/keys"), "keys")
      })
    )
  })

  it.effect("asks the host that discovery names at the same pace", () => {
    let victim = 0
    const fetch: Fetch = async (url) => {
      const { origin, host } = new URL(url)
      if (host === "victim.example.com") victim++
      return host === "victim.example.com"
        ? new Response("", { status: 500 })
        : Response.json({ issuer: origin, jwks_uri: "https://victim.example.com/keys" })
    }
    return run(
      fetch,
      Effect.gen(function* () {
        const keys = yield* IssuerKeys
        for (let number = 0; number < 90; number++)
          yield* Effect.exit(
            keys.of(`account ${number % 9}`, { issuer: `https://${number}.example.com`, jwks_uri: null })
          )
        assert.strictEqual(victim, 60)
      })
    )
  })

  it.effect("asks once for all that wait, though the first of them leaves", () => {
    let asked = 0
    let answer = () => {}
    const fetch: Fetch = () => {
      asked++
      return new Promise((resolve) => (answer = () => resolve(Response.json({ keys: [] }))))
    }
    return run(
      fetch,
      Effect.gen(function* () {
        const waiting = Effect.forkChild(failure("account", "https://slow.example.com/keys"), {
          startImmediately: true
        })
        const [first, second] = yield* Effect.all([waiting, waiting])
        yield* Fiber.interrupt(first)
        answer()
        assert.strictEqual(yield* Fiber.join(second), "keys")
        assert.strictEqual(asked, 1)
      })
    )
  })
})
