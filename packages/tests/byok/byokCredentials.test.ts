/** Upstream keys on the in-memory store: places within a group, and what is kept of a key. */
import { byokProviders } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as fc from "fast-check"
import { ApiKeys } from "../../core/src/ports/keys.ts"
import { StoredAmounts, isOversized } from "../../core/src/ports/limits.ts"
import type { Caller } from "../../core/src/access/Caller.ts"
import { ByokCredentials, contextOfKey, unscoped } from "../../core/src/ports/byok.ts"
import { createByokCredential, updateByokCredential } from "../../core/src/byok/operations.ts"
import { ProviderTable } from "../../core/src/byok/byok.ts"
import { apiKeys } from "../../core/src/memory/ApiKeys.ts"
import { byokCredentials } from "../../core/src/memory/ByokCredentials.ts"
import { privateProviders } from "../../core/src/memory/PrivateProviders.ts"
import { PrivateProviders } from "../../core/src/ports/privateEndpoints.ts"
import { makeTables } from "../../core/src/memory/tables/Tables.ts"
import { workspaces } from "../../core/src/memory/Workspaces.ts"
import { parseKeyring } from "../../core/src/vault/Keyring.ts"
import { layerVault, Vault } from "../../core/src/vault/Vault.ts"
import { storedAmounts } from "../../core/src/memory/StoredAmounts.ts"
import { newWorkspace } from "../../core/src/workspace/operations.ts"
import { Workspaces } from "../../core/src/ports/workspaces.ts"

const account_id = "6d0f6a52-3a2b-4a52-9b4e-0d3b7a0c1e11"
const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
const now = "2026-03-04T12:00:00.000Z"

const caller: Caller = {
  account_id,
  key_hash: "0".repeat(64),
  kind: "management",
  workspace_id: null,
  default_workspace_id: workspace_id,
  user_id: null,
  is_operator: false,
  restrictions: null
}

const makeWorld = () => {
  const tables = makeTables()
  tables.workspaces.set(workspace_id, {
    ...newWorkspace(workspace_id, { name: "Default", slug: "default" }, "system", now),
    account_id
  })
  const parsed = parseKeyring(`test:${btoa("k".repeat(32))}`)
  if ("problem" in parsed) throw new Error(parsed.problem)
  const ports = Context.make(ByokCredentials, byokCredentials(tables)).pipe(
    Context.add(ApiKeys, apiKeys(tables)),
    Context.add(Workspaces, workspaces(tables)),
    Context.add(PrivateProviders, privateProviders(tables)),
    Context.add(StoredAmounts, storedAmounts(tables))
  )
  return { tables, layer: Layer.merge(Layer.succeedContext(ports), layerVault(parsed.keyring)) }
}

describe("the key of a credential", () => {
  const secret = "sk-0123456789abcdefghijklmnopqrstuvwxyz"

  it.effect("is kept as a ciphertext that opens in its own row, and a rotation leaves nothing of the old one", () => {
    const { tables, layer } = makeWorld()
    return Effect.gen(function* () {
      const vault = yield* Vault
      const made = yield* createByokCredential(caller, Redacted.make(secret), { provider: "openai" })
      const other = yield* createByokCredential(caller, Redacted.make(secret), { provider: "openai" })
      const row = tables.byokCredentials.get(made.id) ?? assert.fail()
      assert.notInclude(JSON.stringify({ ...row, sealed_key: String.fromCharCode(...row.sealed_key) }), "0123456789")
      const opened = yield* vault.open(row.sealed_key, contextOfKey(account_id, made))
      assert.strictEqual(Redacted.value(opened), secret)
      assert.isTrue(Option.isNone(yield* Effect.option(vault.open(row.sealed_key, contextOfKey(account_id, other)))))

      const rotated = yield* updateByokCredential(caller, made.id, Redacted.make("another-key-of-24-chars!"), {})
      assert.deepStrictEqual(rotated, { ...made, label: "an...ars!" })
      const after = tables.byokCredentials.get(made.id) ?? assert.fail()
      const reopened = yield* vault.open(after.sealed_key, contextOfKey(account_id, made))
      assert.strictEqual(Redacted.value(reopened), "another-key-of-24-chars!")
      assert.strictEqual(tables.byokCredentials.size, 2)
    }).pipe(Effect.provide(layer))
  })
})

describe("the provider table", () => {
  it("has 113 slugs, in order", () => {
    assert.lengthOf(new Set(byokProviders), 113)
    assert.deepStrictEqual([...byokProviders], [...byokProviders].sort())
  })

  it.effect("is the host's to extend", () => {
    const create = createByokCredential(caller, Redacted.make("k"), { provider: "our-own" })
    return Effect.gen(function* () {
      const refused = yield* Effect.flip(create)
      assert.strictEqual("reason" in refused && refused.reason, "unknown_provider")
      const made = yield* Effect.provideService(create, ProviderTable, new Set([...byokProviders, "our-own"]))
      assert.strictEqual(made.provider, "our-own")
    }).pipe(Effect.provide(makeWorld().layer))
  })
})

describe("places", () => {
  type Step = { readonly at: number; readonly provider: string; readonly is_fallback: boolean; readonly fresh: boolean }

  const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.record({
      at: fc.nat(20),
      provider: fc.constantFrom("openai", "anthropic"),
      is_fallback: fc.boolean(),
      fresh: fc.boolean()
    }),
    { maxLength: 30 }
  )

  it("are given at the end of a group and never to two, and no one else's changes", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const { tables } = makeWorld()
        const credentials = byokCredentials(tables)
        taken.forEach(({ at, provider, is_fallback, fresh }, index) => {
          const before = [...tables.byokCredentials.values()]
          const target = before[at % Math.max(before.length, 1)]
          const touched =
            fresh || target === undefined
              ? Option.getOrThrow(
                  Effect.runSync(
                    credentials.insert(
                      account_id,
                      {
                        ...unscoped,
                        id: `id-${index}`,
                        workspace_id,
                        provider,
                        is_fallback,
                        label: "",
                        created_at: now
                      },
                      new Uint8Array()
                    )
                  )
                )
              : Effect.runSync(credentials.update(account_id, target.id, { is_fallback }))
          if (typeof touched === "string" || isOversized(touched)) return assert.fail(JSON.stringify(touched))
          const stayed = target !== undefined && !fresh && target.is_fallback === is_fallback
          const group = before.filter(
            (row) => row.provider === touched.provider && row.is_fallback === is_fallback && row.id !== touched.id
          )
          assert.strictEqual(
            touched.sort_order,
            stayed ? target.sort_order : Math.max(-1, ...group.map((row) => row.sort_order)) + 1
          )
          assert.notInclude(
            group.map((row) => row.sort_order),
            touched.sort_order
          )
          for (const row of before)
            if (row.id !== touched.id)
              assert.strictEqual(tables.byokCredentials.get(row.id)?.sort_order, row.sort_order)
        })
      }),
      { seed: 20260304 }
    )
  })
})
