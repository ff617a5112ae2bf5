import type { SettleAdmission, Settlement } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { PolicySources } from "../ports/policySources.ts"
import { resolveModelName } from "../catalog/resolveModelName.ts"
import { operation } from "../tracing/operation.ts"
import { formatUsd } from "../value/money.ts"
import { resolveUsageEvents } from "../usage/resolveUsageEvents.ts"
import { printedWindow } from "../ledger/printedBudgetState.ts"
import { AdmittedSizes } from "../ledger/AdmittedSizes.ts"
import { BudgetLedger, KeyRateCounts } from "../ports/ledger.ts"
import { DeliverySignal } from "../delivery/DeliverySignal.ts"
import { selectDeliveries } from "../delivery/selectDeliveries.ts"
import { compiledSource } from "../policy/compiledSource.ts"
import { LiveAdmissions } from "../ledger/LiveAdmissions.ts"
import { requestedModels } from "./requestedModels.ts"
import { requireAdmission } from "../ledger/requireAdmission.ts"
import { settledCost } from "./settledCost.ts"
import { quantitiesOf, type UsageQuantities } from "../ledger/usageQuantities.ts"

/** A count that was not reported is recorded as 0. */
const recordedCounts = ({
  prompt_tokens,
  completion_tokens,
  cached_tokens,
  cache_write_tokens,
  reasoning_tokens
}: UsageQuantities) => ({
  prompt_tokens: prompt_tokens ?? 0,
  completion_tokens: completion_tokens ?? 0,
  cached_tokens: cached_tokens ?? null,
  cache_write_tokens: cache_write_tokens ?? null,
  reasoning_tokens: reasoning_tokens ?? null
})

/** Uses the model that the decision cached, so that a settlement repeats no query of its admission. */
const recordedModels = Effect.fnUntraced(function* (account_id: string, name: string) {
  const resolved = resolveModelName(name, yield* requestedModels(account_id, [name]))
  return new Map(resolved === undefined ? [] : [[name, resolved]])
})

/** What is recorded, and where it is delivered. */
const settling = Effect.fnUntraced(function* (caller: Caller, id: string, { event }: SettleAdmission) {
  const token = yield* requireAdmission(caller.account_id, id)
  const source = yield* compiledSource(token.account_id, token.api_key_hash)
  const usage = quantitiesOf(event)
  // Uses the key and workspace of the admission, even if they were deleted since, because the money was spent there.
  const admitted = { api_key_hash: token.api_key_hash, workspace_id: token.workspace_id }
  const [resolved] = yield* resolveUsageEvents(
    { ...caller, default_workspace_id: token.workspace_id },
    [
      {
        id,
        ...event,
        ...recordedCounts(usage),
        ...(yield* settledCost(token, id, event)),
        api_key_hash: null,
        workspace_id: null
      }
    ],
    () => "event.",
    yield* recordedModels(token.account_id, event.model)
  )
  const owner = Option.isSome(source)
    ? source.value.key
    : Option.getOrUndefined(yield* (yield* PolicySources).formerOwner(token.account_id, token.api_key_hash))
  const user_id = owner?.user_id ?? event.user_id ?? null
  const external_user = event.external_user ?? owner?.external_user ?? null
  const recorded = {
    ...(resolved as NonNullable<typeof resolved>).event,
    ...admitted,
    user_id,
    external_user
  }
  const deliveries = yield* selectDeliveries([
    { account_id: token.account_id, event: recorded, reported: event, isForgotten: token.forgets }
  ])
  return { id, token, usage, recorded, selected: deliveries.get(recorded) }
})

const settle = Effect.fnUntraced(function* ({
  id,
  token,
  usage,
  recorded,
  selected
}: Effect.Success<ReturnType<typeof settling>>) {
  const settled = yield* (yield* BudgetLedger).settle(token.account_id, recorded, selected)
  if (selected !== undefined && selected.destinations.length > 0) (yield* DeliverySignal).wake()
  if (token.counted) {
    const { prompt_tokens: read, completion_tokens: written } = usage
    const tokens = read === undefined || written === undefined ? undefined : read + written
    yield* (yield* KeyRateCounts).finish(token.account_id, id, tokens)
  }
  ;(yield* LiveAdmissions).close(id)
  ;(yield* AdmittedSizes).close(id)
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

/**
 * Records the cost of a request under the admission's id, key and workspace, and charges the budgets. Idempotent; accepted after
 * expiry. Rule: admissions#settlement.
 */
export const settleAdmission = operation("settleAdmission")(function* (
  caller: Caller,
  id: string,
  body: SettleAdmission
) {
  return yield* settle(yield* settling(caller, id, body))
})

/** Selects the deliveries, and returns what is left: filter rules may take long, so a transaction begins only behind them. */
export const prepareSettlement = (caller: Caller, id: string, body: SettleAdmission) =>
  Effect.map(settling(caller, id, body), (prepared) =>
    operation("settleAdmission")(function* () {
      return yield* settle(prepared)
    })()
  )
