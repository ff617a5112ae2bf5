/** Which budgets apply to the spending of a key, and who spends from each. Rule: money#budgets. */
import { assert, describe, it } from "@effect/vitest"
import type { BudgetScope, Guardrail } from "@gatewarden/contract"
import {
  type SpendingKey,
  budgetsOf,
  isOfUser,
  spenderNameOf,
  spenderOf,
  spendersOf
} from "../../core/src/ledger/budgetsOf.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"
import type { GuardrailScope } from "../../core/src/ports/policySources.ts"

const key: SpendingKey = {
  hash: "hash",
  workspace_id: "workspace",
  user_id: "ann",
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false
}
const none = { limits: [], include_byok: false }

const applied = (scope: GuardrailScope, id: string, fields: Partial<Guardrail>) => ({
  scope,
  guardrail: { id, workspace_id: "workspace", name: id, created_at: "", updated_at: null, ...unrestricted, ...fields }
})

const dollar = 1_000_000_000n

describe("the budgets of a key", () => {
  it("are none without a limit", () => {
    assert.deepStrictEqual(budgetsOf(key, [applied("workspace", "g", {}), applied("key", "h", {})], none), [])
  })

  it("are its own limit, which resets or never does", () => {
    const limit = { scope: "key_limit", entity: "hash", guardrail_id: null, limit_nanos: 12_500_000_000n } as const
    assert.deepStrictEqual(budgetsOf({ ...key, limit: 12.5 }, [], none), [
      { ...limit, interval: "lifetime", include_byok: false }
    ])
    assert.deepStrictEqual(
      budgetsOf({ ...key, limit: 12.5, limit_reset: "weekly", include_byok_in_limit: true }, [], none),
      [{ ...limit, interval: "weekly", include_byok: true }]
    )
    assert.strictEqual(budgetsOf({ ...key, limit: 0 }, [], none)[0]?.limit_nanos, 0n)
  })

  it("are those of its guardrails, of the default one for the user and for the key", () => {
    const limited = { limit_usd: 3, reset_interval: "daily", include_byok_in_budgets: true } as const
    const budget = { interval: "daily", limit_nanos: 3n * dollar, include_byok: true } as const
    const guardrails = [
      applied("workspace", "default", limited),
      applied("member", "of-ann", limited),
      applied("key", "of-key", { limit_usd: 0 })
    ]
    assert.deepStrictEqual(budgetsOf(key, guardrails, none), [
      { scope: "workspace_default_member", entity: "ann", guardrail_id: "default", ...budget },
      { scope: "workspace_default_key", entity: "hash", guardrail_id: "default", ...budget },
      { scope: "member", entity: "ann", guardrail_id: "of-ann", ...budget },
      {
        scope: "key",
        entity: "hash",
        guardrail_id: "of-key",
        interval: "lifetime",
        limit_nanos: 0n,
        include_byok: false
      }
    ])
    assert.deepStrictEqual(
      budgetsOf({ ...key, user_id: null }, guardrails, none).map(({ scope }) => scope),
      ["workspace_default_key", "key"],
      "a key of nobody spends from no user's budget"
    )
  })

  it("are those of its workspace, after all others", () => {
    const limits = [
      { interval: "daily", limit_usd: 1 },
      { interval: "lifetime", limit_usd: 0.5 }
    ] as const
    const ofWorkspace = { scope: "workspace_budget", entity: "workspace", guardrail_id: null } as const
    assert.deepStrictEqual(budgetsOf(key, [], { limits, include_byok: true }), [
      { ...ofWorkspace, interval: "daily", limit_nanos: dollar, include_byok: true },
      { ...ofWorkspace, interval: "lifetime", limit_nanos: dollar / 2n, include_byok: true }
    ])
    const all = budgetsOf({ ...key, limit: 1 }, [applied("key", "g", { limit_usd: 1 })], {
      limits,
      include_byok: false
    })
    assert.deepStrictEqual(
      all.map(({ scope, include_byok }) => [scope, include_byok]),
      [
        ["key_limit", false],
        ["key", false],
        ["workspace_budget", false],
        ["workspace_budget", false]
      ]
    )
  })
})

describe("who spends from a budget", () => {
  const rows: readonly (readonly [BudgetScope, spender: string, name: string, isOfUser: boolean])[] = [
    ["key_limit", "key", "e", false],
    ["key", "key", "e", false],
    ["workspace_default_key", "key", "e", false],
    ["workspace_default_member", "workspace_user", "e w", true],
    ["member", "user", "e", true],
    ["workspace_budget", "workspace", "e", false]
  ]

  it.each(rows)("%s: %s", (scope, spender, name, ofUser) => {
    assert.strictEqual(spenderOf({ scope }), spender)
    assert.strictEqual(spenderNameOf({ scope, entity: "e" }, "w"), name)
    assert.strictEqual(isOfUser({ scope }), ofUser)
  })

  it("is charged for a request, as far as it has one", () => {
    assert.deepStrictEqual(spendersOf("k", "ann", "w"), {
      key: "k",
      user: "ann",
      workspace: "w",
      workspace_user: "ann w"
    })
    assert.deepStrictEqual(spendersOf("k", null, "w"), { key: "k", user: null, workspace: "w", workspace_user: null })
    assert.deepStrictEqual(spendersOf(null, "ann", null), {
      key: null,
      user: "ann",
      workspace: null,
      workspace_user: null
    })
  })
})
