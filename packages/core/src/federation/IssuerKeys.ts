/**
 * The keys of issuers, kept for a while, so that few exchanges wait for an issuer and none can make this process ask it again and again.
 *
 * Rule: authorization#issuer-keys.
 */
import type { FederationPolicy } from "@gatewarden/contract"
import { Clock, Context, Effect, Fiber, FiberSet, Layer } from "effect"
import { type JWK, type JWTVerifyGetKey, createLocalJWKSet } from "jose"
import { Pace } from "../limits/Slots.ts"
import { type Fetch } from "../platform/Fetch.ts"
import { OutgoingFetch } from "../platform/OutgoingFetch.ts"
import { acceptsCallbackUrl } from "../authorization/callbackUrl.ts"
import { RequestFailed, sendRequest } from "../platform/sendRequest.ts"
import { Unavailable } from "../value/failure.ts"

export type KeysAddress = Pick<FederationPolicy, "issuer" | "jwks_uri">

const timeoutMillis = 5_000
const maxBytes = 262_144
const maxKeys = 100

/**
 * How long members of a key may be, in characters. Numbers of an RSA key that are as long as the standard allows make each signature slow
 * to check, so a modulus has at most 8,192 bits and an exponent 32. Nearly every exponent is 65,537.
 */
const maxLengths: Readonly<Record<string, number>> = { n: 1_366, e: 6 }
const maxMemberLength = 1_400

const publicMembers = ["kty", "kid", "use", "alg", "n", "e", "crv", "x", "y"] as const
const kinds: readonly unknown[] = ["RSA", "EC", "OKP"]

const readObject = Effect.fnUntraced(function* (fetch: Fetch, url: string) {
  const headers = { accept: "application/json" }
  const { status, body } = yield* sendRequest(fetch, { url, method: "GET", headers, timeoutMillis, maxBytes })
  if (status !== 200) return yield* new RequestFailed()
  const value = yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body)),
    catch: () => new RequestFailed()
  })
  if (typeof value !== "object" || value === null) return yield* new RequestFailed()
  return value as Readonly<Record<string, unknown>>
})

const keySetAddress = Effect.fnUntraced(function* (fetch: Fetch, { issuer, jwks_uri }: KeysAddress) {
  if (jwks_uri !== null) return jwks_uri
  const found = yield* readObject(fetch, `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
  const address = found["jwks_uri"]
  // A document of another issuer would let that one sign in the name of this one.
  if (found["issuer"] !== issuer || typeof address !== "string" || !acceptsCallbackUrl(address))
    return yield* new RequestFailed()
  return address
})

/** The public members of a key for signatures, undefined for what is no such key. */
const publicKey = (entry: unknown): JWK | undefined => {
  if (typeof entry !== "object" || entry === null) return undefined
  const members = entry as Readonly<Record<string, unknown>>
  const { kty, use } = members
  if (!kinds.includes(kty) || (use !== undefined && use !== "sig")) return undefined
  const kept: Record<string, string> = {}
  for (const name of publicMembers) {
    const value = members[name]
    if (typeof value !== "string") continue
    if (value.length > (maxLengths[name] ?? maxMemberLength)) return undefined
    kept[name] = value
  }
  return kept as unknown as JWK
}

/**
 * Fetches the keys of an issuer: from its key set, or by way of its discovery document.
 *
 * Source: RFC 7517 5; OpenID Connect Discovery 1.0, 4. The addresses are chosen by clients, so requests go through `OutgoingFetch`,
 * follow no redirect, and are bounded in time and size.
 */
export const fetchIssuerKeys = Effect.fnUntraced(function* (fetch: Fetch, address: KeysAddress) {
  const { keys } = yield* readObject(fetch, yield* keySetAddress(fetch, address))
  if (!Array.isArray(keys) || keys.length > maxKeys) return yield* new RequestFailed()
  return createLocalJWKSet({ keys: keys.flatMap((entry) => publicKey(entry) ?? []) }) satisfies JWTVerifyGetKey
})

const second = 1_000
const freshMillis = 600 * second
/** While the issuer does not answer, its keys count this long. A key that it withdrew may count as long. */
const staleMillis = 3_600 * second
/** After a failure the issuer is not asked again for this long. */
const pauseMillis = 10 * second
/** A token that names an unknown key makes the issuer be asked at most this often. */
const renewalMillis = 30 * second
const maxIssuers = 1_000
/** One account cannot keep the others from being known. */
const maxIssuersOfAccount = 100
/** More hosts than all addresses lead to until the first has its turns back: two each, and new addresses at their `renewalMillis`. */
const maxHosts = 10 * maxIssuers
/** Requests to one host, whatever the addresses there, and those of one account: at once, and from then on. */
const ofHost = { turns: 60, perSecond: 1, maxNames: maxHosts }
const ofAccountAtHost = { turns: 20, perSecond: 0.2, maxNames: maxHosts }

interface Entry {
  /** The account that made this process know the address. */
  readonly account_id: string
  keys: JWTVerifyGetKey | undefined
  fetchedAt: number
  failedAt: number
  /** When an account had no turn of a host for it, which says nothing of the issuer. */
  refusedAt: number
  /** The request that is under way, which all wait for who need it. */
  flight: Fiber.Fiber<void> | undefined
}

export interface IssuerKeySource {
  /** 503 where the issuer does not answer and its keys are unknown, or were fetched too long ago. */
  readonly of: (account_id: string, address: KeysAddress) => Effect.Effect<JWTVerifyGetKey, Unavailable>
  /** Newer keys than those that were known; undefined where the issuer has none, or was asked a moment ago. */
  readonly renewed: (account_id: string, address: KeysAddress) => Effect.Effect<JWTVerifyGetKey | undefined>
}

const unavailable = () => new Unavailable({ reason: "issuer_unavailable", retryAfterSeconds: pauseMillis / second })

/** `run` forks into the instance: a request for keys goes on though its first caller leaves, and ends with the instance. */
const makeIssuerKeys = (run: (work: Effect.Effect<void>) => Fiber.Fiber<void>): IssuerKeySource => {
  const entries = new Map<string, Entry>()
  const hosts = new Pace(ofHost)
  const accountsAtHosts = new Pace(ofAccountAtHost)

  /** Nobody is asked again sooner because the answer, or its absence, was forgotten. */
  const mayForget = ({ fetchedAt, failedAt, refusedAt, flight }: Entry, now: number): boolean =>
    flight === undefined && now - Math.max(fetchedAt, failedAt, refusedAt) > renewalMillis

  /** Forgets the entry that was used longest ago, of the account or of all. False: every one of them still counts. */
  const forgetOne = (now: number, account_id?: string): boolean => {
    for (const [name, entry] of entries)
      if ((account_id === undefined || entry.account_id === account_id) && mayForget(entry, now))
        return entries.delete(name)
    return false
  }

  const ofAccount = (account_id: string): number =>
    [...entries.values()].reduce((sum, entry) => sum + (entry.account_id === account_id ? 1 : 0), 0)

  /** The entry of an address, as the one that was used last. Undefined where no more can be kept. */
  const entryOf = (account_id: string, { issuer, jwks_uri }: KeysAddress, now: number): Entry | undefined => {
    const name = `${issuer} ${jwks_uri ?? ""}`
    const known = entries.get(name)
    if (known === undefined) {
      if (ofAccount(account_id) >= maxIssuersOfAccount && !forgetOne(now, account_id)) return undefined
      if (entries.size >= maxIssuers && !forgetOne(now)) return undefined
    }
    const never = { fetchedAt: -Infinity, failedAt: -Infinity, refusedAt: -Infinity }
    const entry: Entry = known ?? { account_id, keys: undefined, ...never, flight: undefined }
    entries.delete(name)
    entries.set(name, entry)
    return entry
  }

  /** Discovery leads to other hosts than the issuer's, so each request is counted where it goes. */
  const paced =
    (fetch: Fetch, account_id: string, now: number, refusing: () => void): Fetch =>
    async (url, init) => {
      const { host } = new URL(url)
      if (!accountsAtHosts.take(`${account_id} ${host}`, now)) {
        refusing()
        throw new Error("The account asked the host too often")
      }
      if (!hosts.take(host, now)) throw new Error("The host was asked too often")
      return fetch(url, init)
    }

  const begun = (entry: Entry, asking: Effect.Effect<void>): Fiber.Fiber<void> => {
    const flight = (entry.flight = run(asking))
    flight.addObserver(() => (entry.flight = undefined))
    return flight
  }

  const fetched = Effect.fnUntraced(function* (account_id: string, entry: Entry, address: KeysAddress) {
    const fetch = yield* OutgoingFetch
    const now = yield* Clock.currentTimeMillis
    const refuse = () => (entry.refusedAt = now)
    const asking = fetchIssuerKeys(paced(fetch, account_id, now, refuse), address).pipe(
      Effect.match({
        onSuccess: (keys) => {
          entry.keys = keys
          entry.fetchedAt = now
        },
        onFailure: () => {
          if (entry.refusedAt !== now) entry.failedAt = now
        }
      })
    )
    yield* Effect.suspend(() => Fiber.join(entry.flight ?? begun(entry, asking)))
  })

  return {
    of: Effect.fnUntraced(function* (account_id, address) {
      const now = yield* Clock.currentTimeMillis
      const entry = entryOf(account_id, address, now)
      if (entry === undefined) return yield* unavailable()
      if (now - entry.fetchedAt > freshMillis && now - entry.failedAt > pauseMillis)
        yield* fetched(account_id, entry, address)
      if (entry.keys !== undefined && now - entry.fetchedAt <= staleMillis) return entry.keys
      return yield* unavailable()
    }),
    renewed: Effect.fnUntraced(function* (account_id, address) {
      const now = yield* Clock.currentTimeMillis
      const entry = entryOf(account_id, address, now)
      if (entry === undefined || now - Math.max(entry.fetchedAt, entry.failedAt) <= renewalMillis) return undefined
      const before = entry.keys
      yield* fetched(account_id, entry, address)
      return entry.keys === before ? undefined : entry.keys
    })
  }
}

/** One per instance: what one account makes it keep are public keys, which are the same for all. */
export class IssuerKeys extends Context.Service<IssuerKeys, IssuerKeySource>()("gatewarden/IssuerKeys") {}

export const layerIssuerKeys = Layer.effect(IssuerKeys, Effect.map(FiberSet.makeRuntime(), makeIssuerKeys))
