/** Holds a store to giving no key to a user who stops acting at the same time, whichever way keys are given. Rule: scim#deprovisioning. */
import {
  type ApiKey,
  ApiKeys,
  AuthorizationCodes,
  type CodeGrant,
  DirectoryUsers,
  FederationPolicies,
  type StorePorts,
  createAccount,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { leavingTests } from "./directoryUsers/leaving.ts"

const at = "2026-03-04T12:00:00.000Z"
const later = "2026-03-04T12:10:00.000Z"
const settling = { now: at, spared: "" }
const rounds = 24

const secret = (): string => (crypto.randomUUID() + crypto.randomUUID()).replaceAll("-", "")

/** An account with a user, whom the directory knows already or not, and each way to give the user a key that is live. */
const prepare = Effect.fnUntraced(function* (isKnown: boolean) {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const account_id = made.account.id
  const workspace_id = made.workspace.id
  const [keys, users] = [yield* ApiKeys, yield* DirectoryUsers]
  const [codes, policies] = [yield* AuthorizationCodes, yield* FederationPolicies]
  const id = crypto.randomUUID()
  const put = (active: boolean) =>
    users.insert(
      account_id,
      {
        id,
        user_id: "ann",
        user_name: "ann",
        external_id: null,
        active,
        attributes: {},
        created_at: at,
        updated_at: at
      },
      settling
    )
  if (isKnown) yield* put(true)
  const fresh = (fields: Partial<ApiKey> = {}) =>
    Effect.map(
      newApiKey({ kind: "normal", account_id, workspace_id, user_id: "ann", name: "key", ...fields }),
      ({ record }) => record
    )
  const management = { kind: "management", workspace_id: null } as const
  const disabled = yield* fresh()
  yield* keys.insert(disabled)
  yield* keys.update(account_id, disabled.hash, { disabled: true }, at)
  const old = yield* fresh({ ...management, user_id: null })
  yield* keys.insert(old)
  const grant: CodeGrant = {
    code_hash: secret(),
    account_id,
    workspace_id,
    callback_url: "https://app.example.com/",
    callback_origin: "https://app.example.com",
    challenge_hash: null,
    code_challenge_method: null,
    key_name: "app",
    limit: null,
    limit_reset: null,
    key_expires_at: null,
    user_id: "ann",
    spawn_agent: null,
    spawn_cloud: null,
    created_at: at
  }
  yield* codes.insert(grant, 600_000)
  const policy_id = crypto.randomUUID()
  yield* policies.insert(account_id, {
    id: policy_id,
    workspace_id,
    name: "workload",
    issuer: "https://issuer.example.com",
    audience: "gatewarden",
    jwks_uri: null,
    subject: "repo:acme/*",
    claims: null,
    lifetime_seconds: 900,
    limit: null,
    user_id: "ann",
    allow_reuse: false,
    disabled: false,
    created_at: at,
    updated_at: null
  })
  const [inserted, managing, successor, spent, issued] = [
    yield* fresh(),
    yield* fresh(management),
    yield* fresh(management),
    yield* fresh(),
    yield* fresh({ expires_at: later })
  ]
  const giving: readonly Effect.Effect<unknown>[] = [
    keys.insert(inserted),
    keys.insert(managing),
    keys.update(account_id, disabled.hash, { disabled: false }, at),
    keys.retire(account_id, old.hash, { now: at, at: later, successor, force: false }),
    codes.spend(grant.code_hash, spent),
    policies.issue(issued, { policy_id, use_id: secret(), ends_at: later })
  ]
  const ending: Effect.Effect<unknown> = isKnown
    ? users.update(account_id, id, (user) => Result.succeed({ ...user, active: false }), settling)
    : put(false)
  const live = Effect.map(keys.list(account_id, { disabled: false }), (found) =>
    found.filter(({ user_id }) => user_id === "ann")
  )
  return { giving, ending, live }
})

export const directoryUsersSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`users of a directory: ${name}`, () => {
    const run = storeUnderTest(makeStore, Date.parse(at))

    leavingTests(run)

    it("gives an active user keys in each of the ways", () =>
      run(
        Effect.gen(function* () {
          const { giving, live } = yield* prepare(true)
          yield* Effect.all(giving)
          assert.lengthOf(yield* live, giving.length)
        })
      ))

    for (const [isKnown, who] of [
      [true, "a user"],
      [false, "a user new to the directory"]
    ] as const) {
      it(`gives no key to ${who} who is not active`, () =>
        run(
          Effect.gen(function* () {
            const { giving, ending, live } = yield* prepare(isKnown)
            yield* Effect.all([ending, ...giving])
            assert.deepEqual(yield* live, [])
          })
        ))

      it(`leaves no key to ${who} who stops acting while keys are given`, () =>
        run(
          Effect.gen(function* () {
            for (let round = 0; round < rounds; round++) {
              const { giving, ending, live } = yield* prepare(isKnown)
              const all = giving.toSpliced(round % (giving.length + 1), 0, ending)
              yield* Effect.all(all, { concurrency: "unbounded" })
              assert.deepEqual(yield* live, [])
            }
          })
        ))
    }
  })
}
