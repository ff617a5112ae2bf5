/**
 * Holds a store to losing no change: whoever changes other fields of the same thing at once finds all of them in it.
 *
 * Rule: requests#patches.
 */
import { type ByokChange, type GuardrailChange, type StorePorts, unrestricted } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { at, bytes, credentialIn, page, ports, prepare } from "../stores/accountFixture.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse(at)

const guardrailChanges: readonly GuardrailChange[] = [
  { description: "changed" },
  { allowed_models: ["acme/sonnet"] },
  { ignored_providers: ["openai"] },
  { enable_free_model_training: false },
  { enforce_zdr_google: true },
  { limit_usd: 5, reset_interval: "daily" },
  { content_filters: [{ pattern: "a+", action: "block", label: "a" }] },
  { include_byok_in_budgets: true }
]

const keyChanges = [
  { name: "changed" },
  { disabled: true },
  { limit: 5, limit_reset: "daily" },
  { include_byok_in_limit: true }
] as const

const credentialChanges: readonly ByokChange[] = [
  { name: "changed" },
  { disabled: true },
  { is_fallback: true },
  { declared_zdr: true },
  { declared_region: "us" },
  { allowed_models: [] },
  { allowed_user_ids: ["ann"] },
  { is_required: true }
]

const rateChanges = [{ requests_per_minute: 1 }, { tokens_per_minute: 2 }, { parallel_requests: 3 }] as const

/** All in one turn, so that no store can have answered the first before it is asked the last. */
const atOnce = <C, A>(changes: readonly C[], put: (change: C) => Effect.Effect<A>) =>
  Effect.forEach(changes, put, { concurrency: "unbounded", discard: true })

const allOf = (changes: readonly object[]): object => Object.assign({}, ...changes) as object

export const changesAtOnceSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`changes at once: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("of a guardrail are all in it", () =>
      run(
        Effect.gen(function* () {
          const { guardrails } = yield* ports
          const { account_id, guardrail } = yield* prepare
          yield* atOnce(guardrailChanges, (change) => guardrails.update(account_id, guardrail, change, at))
          assert.deepInclude(Option.getOrThrow(yield* guardrails.find(account_id, guardrail)), {
            ...unrestricted,
            name: "one",
            ...allOf(guardrailChanges),
            updated_at: at
          })
        })
      ))

    it("of a default guardrail that is not stored yet are all in it", () =>
      run(
        Effect.gen(function* () {
          const { guardrails } = yield* ports
          const { account_id, workspace } = yield* prepare
          const id = workspace.default_guardrail_id
          yield* atOnce(guardrailChanges, (change) => guardrails.update(account_id, id, change, at))
          assert.deepInclude(Option.getOrThrow(yield* guardrails.find(account_id, id)), allOf(guardrailChanges))
        })
      ))

    it("of a key are all in it, its rates too", () =>
      run(
        Effect.gen(function* () {
          const { keys, sources } = yield* ports
          const { account_id, hash } = yield* prepare
          yield* atOnce(keyChanges, (change) => keys.update(account_id, hash, change, at))
          yield* atOnce(rateChanges, (change) => sources.limitRates(account_id, hash, change))
          const [key] = yield* keys.list(account_id, { hashes: [hash] })
          assert.deepInclude(key, { ...allOf(keyChanges), updated_at: at })
          const { rate_limits } = Option.getOrThrow(yield* sources.of(account_id, hash))
          assert.deepEqual<object | null>(rate_limits, allOf(rateChanges))
        })
      ))

    it("of an upstream key are all in it", () =>
      run(
        Effect.gen(function* () {
          const { credentials } = yield* ports
          const { account_id, workspace_id } = yield* prepare
          const credential = credentialIn(workspace_id)
          yield* credentials.insert(account_id, credential, bytes)
          yield* atOnce(credentialChanges, (change) => credentials.update(account_id, credential.id, change))
          const found = Option.getOrThrow(yield* credentials.find(account_id, credential.id))
          assert.deepEqual<object>(found, { ...credential, ...allOf(credentialChanges), sort_order: 0 })
          assert.deepEqual((yield* credentials.list(account_id, { workspace_id }, page)).data, [found])
        })
      ))

    it("that want one slug for a workspace: one has it", () =>
      run(
        Effect.gen(function* () {
          const { workspaces } = yield* ports
          const { account_id, workspace } = yield* prepare
          const made = yield* Effect.forEach(
            Array.from({ length: 8 }, () => ({
              ...workspace,
              id: crypto.randomUUID() as string,
              default_guardrail_id: crypto.randomUUID() as string,
              slug: "wanted"
            })),
            (each) => Effect.map(workspaces.insert(account_id, each), (inserted) => (inserted ? [each.id] : [])),
            { concurrency: "unbounded" }
          )
          const found = Option.getOrThrow(yield* workspaces.find(account_id, "wanted"))
          assert.deepEqual(made.flat(), [found.id])
        })
      ))
  })
}
