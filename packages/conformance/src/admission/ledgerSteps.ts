/** What random histories of a ledger are made of: who asks, under which budgets, and what happens next. */
import type { BudgetInterval } from "@gatewarden/contract"
import type { Budget, Cost, HoldRequest, UsageEvent } from "@gatewarden/core/store"
import * as fc from "fast-check"
import { spendingEvent } from "../usage/spendingEvent.ts"

export const beginning = Date.parse("2026-02-27T22:00:00.000Z")
export const usd = 1_000_000_000n

export const key = "a".repeat(64)
export const otherKey = "b".repeat(64)
export const secondKey = "c".repeat(64)
export const thirdKey = "d".repeat(64)
export const workspace_id = "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
export const otherWorkspace = "7d1c5b0e-2a44-4c7b-8f9d-0e5f6a7b8c22"
export const guardrails = [
  "11111111-1111-4111-8111-111111111111",
  "22222222-2222-4222-8222-222222222222",
  "33333333-3333-4333-8333-333333333333"
] as const

export const budget = (
  scope: Budget["scope"],
  entity: string,
  interval: BudgetInterval,
  limit_nanos: bigint,
  include_byok: boolean,
  guardrail_id: string | null = null
): Budget => ({ scope, entity, guardrail_id, interval, limit_nanos, include_byok })

export const allBudgets: readonly Budget[] = [
  budget("key_limit", key, "lifetime", 9n * usd, false),
  budget("workspace_default_member", "user-1", "daily", 5n * usd, true, guardrails[0]),
  budget("workspace_default_key", key, "daily", 3n * usd, true, guardrails[0]),
  budget("key", key, "daily", 4n * usd, false, guardrails[1]),
  budget("member", "user-1", "weekly", 6n * usd, true, guardrails[1]),
  budget("workspace_budget", workspace_id, "monthly", 12n * usd, false)
]

/** With other intervals, as they are after a change: what is in flight then was held by the ones above. */
export const changedBudgets: readonly Budget[] = [
  budget("key_limit", key, "weekly", 5n * usd, false),
  budget("member", "user-1", "daily", 5n * usd, false, guardrails[1]),
  budget("workspace_default_member", "user-1", "lifetime", 9n * usd, false, guardrails[0]),
  budget("workspace_budget", workspace_id, "lifetime", 14n * usd, true)
]

/**
 * Who asks: the key that the budgets are about, one without a user in its workspace, one of the same user there, or one of the same user in
 * another workspace.
 */
const whos = ["key", "other", "second", "elsewhere"] as const
type Who = (typeof whos)[number]

/** The budgets that the keys of a user have in common, wherever they are. */
const ofUser = (budgets: readonly Budget[]) => budgets.filter(({ scope }) => scope === "member")

export const askedBy = (who: Who, budgets: readonly Budget[]) => {
  switch (who) {
    case "key":
      return { workspace_id, key_hash: key, user_id: "user-1", budgets }
    case "other":
      return {
        workspace_id,
        key_hash: otherKey,
        user_id: null,
        budgets: [
          budget("key_limit", otherKey, "daily", 4n * usd, true),
          ...budgets.filter(({ scope }) => scope === "workspace_budget")
        ]
      }
    case "second":
      return {
        workspace_id,
        key_hash: secondKey,
        user_id: "user-1",
        budgets: [
          ...budgets.filter(({ scope }) => scope === "workspace_default_member"),
          budget("workspace_default_key", secondKey, "daily", 3n * usd, true, guardrails[0]),
          ...ofUser(budgets)
        ]
      }
    case "elsewhere":
      return {
        workspace_id: otherWorkspace,
        key_hash: thirdKey,
        user_id: "user-1",
        budgets: [
          budget("workspace_default_member", "user-1", "daily", 4n * usd, false, guardrails[2]),
          budget("workspace_default_key", thirdKey, "daily", 4n * usd, false, guardrails[2]),
          ...ofUser(budgets)
        ]
      }
  }
}

export const eventOf = (fields: Partial<UsageEvent> & Pick<UsageEvent, "id" | "created_at">): UsageEvent =>
  spendingEvent({ workspace_id, api_key_hash: key, user_id: "user-1", ...fields })

const nanos = fc.bigInt({ min: 0n, max: 2n * usd })
const costs = fc.array(fc.record({ nanos, byok: fc.boolean() }), { minLength: 1, maxLength: 3 })
const budgets = fc.subarray([...allBudgets, ...changedBudgets], { minLength: 1 })
const nth = fc.nat({ max: 5 })

type Step =
  | {
      readonly kind: "hold"
      readonly who: Who
      readonly budgets: readonly Budget[]
      readonly costs: readonly Cost[]
      readonly seconds: number
      readonly on_expiry: HoldRequest["on_expiry"]
    }
  | {
      readonly kind: "burst"
      readonly many: readonly { budgets: readonly Budget[]; costs: readonly Cost[]; again: boolean }[]
    }
  | { readonly kind: "settlements"; readonly many: readonly { nth: number; cost: bigint; byok: bigint }[] }
  | {
      readonly kind: "settle"
      readonly nth: number
      readonly cost: bigint
      readonly byok: bigint
      readonly knows: boolean
    }
  | { readonly kind: "release"; readonly nth: number }
  | { readonly kind: "renew"; readonly nth: number }
  | {
      readonly kind: "import"
      readonly by: "key" | "other" | "elsewhere"
      readonly hours: number
      readonly cost: bigint
      readonly byok: bigint
    }
  | { readonly kind: "wait"; readonly millis: number }
  | { readonly kind: "states"; readonly budgets: readonly Budget[] }

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("hold" as const),
      who: fc.constantFrom("key", "key", ...whos),
      budgets,
      costs,
      seconds: fc.constantFrom(30, 600, 3600),
      on_expiry: fc.constantFrom("release" as const, "charge" as const, undefined)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("burst" as const),
      // All have the workspace's in common, so that they are asked one after another whatever else they are asked of.
      many: fc.array(
        fc.record({
          budgets: fc.constantFrom(allBudgets, allBudgets.slice(2), [
            ...allBudgets.slice(0, 1),
            ...allBudgets.slice(-1)
          ]),
          costs,
          again: fc.nat({ max: 7 }).map((n) => n === 0)
        }),
        { minLength: 2, maxLength: 8 }
      )
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("settlements" as const),
      many: fc.array(fc.record({ nth, cost: nanos, byok: nanos }), { minLength: 2, maxLength: 8 })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("settle" as const), nth, cost: nanos, byok: nanos, knows: fc.boolean() })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("release" as const, "renew" as const), nth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("import" as const),
      by: fc.constantFrom("key" as const, "other" as const, "elsewhere" as const),
      hours: fc.integer({ min: 0, max: 60 }),
      cost: nanos,
      byok: nanos
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      millis: fc.constantFrom(29_999, 30_000, 600_000, 7_200_000, 86_400_000)
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("states" as const), budgets }) }
)
