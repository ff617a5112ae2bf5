import type { SettleAdmission, Settlement } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { formatUsd } from "../usage/money.ts"
import { resolveUsageEvents } from "../usage/resolveUsageEvents.ts"
import { printedWindow } from "./admit.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import { compiledSource } from "./compiledSource.ts"
import { KeyRates } from "./KeyRates.ts"
import { LiveAdmissions } from "./LiveAdmissions.ts"
import { requireAdmission } from "./requireAdmission.ts"

/**
 * Records what a request cost, under the admission's id, key and workspace, and charges the budgets. Idempotent; accepted after
 * expiry. Source: decisions 14.
 */
export const settleAdmission = operation("settleAdmission")(function* (
  caller: Caller,
  id: string,
  { event: { input: _, output: __, ...event } }: SettleAdmission
) {
  const token = yield* requireAdmission(caller.account_id, id)
  const source = yield* compiledSource(token.account_id, token.api_key_hash)
  // Key and workspace are what was admitted, though they may be gone by now: money that was spent there is recorded there.
  const admitted = { api_key_hash: token.api_key_hash, workspace_id: token.workspace_id }
  const [resolved] = yield* resolveUsageEvents(
    { ...caller, default_workspace_id: token.workspace_id },
    [{ ...event, id, api_key_hash: null, workspace_id: null }],
    () => "event."
  )
  const user_id = Option.getOrUndefined(source)?.key.user_id ?? event.user_id ?? null
  const settled = yield* (yield* BudgetLedger).settle(token.account_id, {
    ...(resolved as NonNullable<typeof resolved>),
    ...admitted,
    user_id
  })
  if (token.counted)
    yield* (yield* KeyRates).finish(token.account_id, id, event.prompt_tokens + event.completion_tokens)
  ;(yield* LiveAdmissions).close(id)
  const settlement: Settlement = {
    charged: settled.charges.map(({ budget, window_start, nanos, overdraft_nanos }) => ({
      scope: budget.scope,
      entity: budget.entity,
      guardrail_id: budget.guardrail_id,
      window_start: printedWindow(window_start),
      amount_usd: formatUsd(nanos),
      overdraft_usd: formatUsd(overdraft_nanos)
    })),
    overdraft_usd: formatUsd(settled.overdraft_nanos)
  }
  return settlement
})
