/** Holds a store to the size that guardrails, credentials and destinations may have, decided on the row that a change is applied to. */
import type { Destination } from "@gatewarden/contract"
import {
  createAccount,
  ByokCredentials,
  type DestinationChange,
  Destinations,
  Guardrails,
  isOversized,
  maxCredentialBytes,
  maxDestinationBytes,
  maxEntityBytes,
  type StorePorts,
  unrestricted
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { manyNames, mostBytes, ownBytes } from "./entityBytes.ts"

const at = "2026-03-04T12:00:00.000Z"
const flags = {
  disabled: false,
  is_fallback: false,
  is_required: false,
  is_byok_only: false,
  declared_region: null,
  declared_zdr: null
}

export const entitySizesSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`sizes of entities: ${name}`, () => {
    const run = storeUnderTest(makeStore, { now: Date.parse(at) })

    const account = Effect.gen(function* () {
      const made = yield* createAccount(`account ${crypto.randomUUID()}`)
      if (made === undefined) return yield* Effect.die(new Error("account exists"))
      return {
        account_id: made.account.id,
        workspace_id: made.workspace.id,
        default_id: made.workspace.default_guardrail_id
      }
    })

    const guardrail = (workspace_id: string, fields: object = {}) => ({
      ...unrestricted,
      ...{ id: crypto.randomUUID() as string, workspace_id, name: "a", created_at: at, updated_at: null },
      ...fields
    })
    const lists = { allowed_models: manyNames("a") as string[], ignored_models: manyNames("b") as string[] }

    it("a guardrail that is larger already may change as long as it does not grow", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const guardrails = yield* Guardrails
          const row = guardrail(workspace_id, { ...lists, ignored_providers: manyNames("c") })
          assert.isAbove(ownBytes(row), mostBytes)
          assert.isTrue(yield* guardrails.insert(account_id, row))
          const update = (change: object) => guardrails.update(account_id, row.id, change, at)
          assert.deepInclude(yield* update({ name: "b" }), { name: "b" })
          assert.deepStrictEqual(yield* update({ name: "bb" }), { oversized: ownBytes(row) + 1, most: maxEntityBytes })
          assert.deepStrictEqual(yield* update({ limit_usd: 0.000_000_015, reset_interval: "daily" }), {
            oversized: ownBytes({ ...row, limit_usd: 0.000_000_015, reset_interval: "daily" }),
            most: maxEntityBytes
          })
          const kept = Option.getOrThrow(yield* guardrails.find(account_id, row.id))
          assert.deepStrictEqual(kept, { ...row, name: "b", updated_at: at })
          assert.deepInclude(yield* update({ ignored_providers: null }), { ignored_providers: null })
          assert.strictEqual(yield* guardrails.remove(account_id, row.id), "removed")
        })
      ))

    it("two changes at once do not add up beyond the limit", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const guardrails = yield* Guardrails
          const row = guardrail(workspace_id, lists)
          yield* guardrails.insert(account_id, row)
          const room = maxEntityBytes - ownBytes(row)
          const filters = (label: string) => ({
            pattern: "x".repeat(Math.ceil(room / 6)),
            action: "block" as const,
            label
          })
          const names = Array.from({ length: 100 }, (_, index) => String(index).padStart(Math.ceil(room / 200), "n"))
          const outcomes = yield* Effect.all(
            [
              guardrails.update(account_id, row.id, { content_filters: ["a", "b", "c"].map(filters) }, at),
              guardrails.update(account_id, row.id, { ignored_providers: names }, at)
            ],
            { concurrency: "unbounded" }
          )
          assert.strictEqual(outcomes.filter(isOversized).length, 1)
          assert.isAtMost(ownBytes(Option.getOrThrow(yield* guardrails.find(account_id, row.id))), mostBytes)
        })
      ))

    it("a default guardrail that is refused is not stored", () =>
      run(
        Effect.gen(function* () {
          const { account_id, default_id } = yield* account
          const guardrails = yield* Guardrails
          const large = { ...lists, ignored_providers: manyNames("c") as string[] }
          assert.isTrue(isOversized(yield* guardrails.update(account_id, default_id, large, at)))
          assert.isTrue(Option.isNone(yield* guardrails.find(account_id, default_id)))
          assert.deepInclude(yield* guardrails.update(account_id, default_id, lists, at), lists)
          assert.isTrue(isOversized(yield* guardrails.update(account_id, default_id, large, at)))
        })
      ))

    it("a credential may take the whole size, and not a byte more", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const credentials = yield* ByokCredentials
          const row = {
            ...{
              id: crypto.randomUUID() as string,
              workspace_id,
              provider: "openai",
              name: null,
              label: "x",
              ...flags,
              disabled: true
            },
            ...{ allowed_api_key_hashes: null, allowed_models: [""], allowed_user_ids: null, created_at: at }
          }
          const made = Option.getOrThrow(yield* credentials.insert(account_id, row, Uint8Array.of(1)))
          const room = maxCredentialBytes - ownBytes(made)
          const update = (change: object) => credentials.update(account_id, row.id, change)
          const full = ["m".repeat(room)]
          assert.deepStrictEqual(yield* update({ allowed_models: ["m".repeat(room + 1)] }), {
            oversized: maxCredentialBytes + 1,
            most: maxCredentialBytes
          })
          assert.deepStrictEqual(Option.getOrThrow(yield* credentials.find(account_id, row.id)), made)
          assert.deepInclude(yield* update({ allowed_models: full }), { allowed_models: full })
          assert.deepStrictEqual(yield* update({ disabled: false }), {
            oversized: maxCredentialBytes + 1,
            most: maxCredentialBytes
          })
          assert.deepInclude(yield* update({ label: "y", sealed_key: Uint8Array.of(2) }), { label: "y" })
        })
      ))

    it("a destination may take the whole size, its shown config included, and not a byte more", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id } = yield* account
          const destinations = yield* Destinations
          const config = { url: "https://example.com/", method: "POST" }
          const rules = (value: string) => ({
            enabled: true,
            groups: [
              { logic: "and" as const, rules: [{ field: "model" as const, operator: "equals" as const, value }] }
            ]
          })
          const row = {
            ...{ id: crypto.randomUUID() as string, workspace_id, type: "webhook", name: null, enabled: true },
            ...{
              privacy_mode: true,
              sampling_rate: 1,
              api_key_hashes: null,
              filter_rules: rules(""),
              regions: ["global"]
            },
            ...{ broadcast_generation_cost: false, broadcast_generation_identity: false },
            ...{ broadcast_generation_request_context: false, config, created_at: at, updated_at: at }
          } as Destination
          assert.strictEqual(yield* destinations.insert(account_id, row, Uint8Array.of(1)), "inserted")
          const stored = Effect.map(
            destinations.find(account_id, row.id),
            (found) => Option.getOrThrow(found).destination
          )
          const room = maxDestinationBytes - ownBytes(row)
          const update = (change: DestinationChange, path?: string) =>
            destinations.update(
              ...([account_id, row.id, change] as const),
              path === undefined
                ? undefined
                : {
                    ...{ replaces: Uint8Array.of(1), sealed_config: Uint8Array.of(2), moves: false },
                    config: { ...config, url: config.url + path } as Destination["config"]
                  },
              at
            )
          assert.deepStrictEqual(yield* update({ filter_rules: rules("v".repeat(room + 1)) }), {
            oversized: maxDestinationBytes + 1,
            most: maxDestinationBytes
          })
          assert.deepStrictEqual(yield* stored, row)
          const full = rules("v".repeat(room))
          assert.deepInclude(yield* update({ filter_rules: full }), { filter_rules: full })
          assert.deepStrictEqual(yield* update({}, "p"), {
            oversized: maxDestinationBytes + 1,
            most: maxDestinationBytes
          })
          assert.deepStrictEqual((yield* stored).config, row.config)
          assert.deepInclude(yield* update({ filter_rules: null }, "p"), { filter_rules: null })
        })
      ))
  })
}
