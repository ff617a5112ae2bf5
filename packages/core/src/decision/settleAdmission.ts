import type { CatalogEndpoint, SettleAdmission, Settlement, SettlementReport } from "@gatewarden/contract/internal"
import { Effect, Option } from "effect"
import type { AdmissionToken } from "../access/AdmissionTokens.ts"
import type { Caller } from "../access/Caller.ts"
import { resolveModelName } from "../catalog/modelNames.ts"
import { DeliverySignal } from "../delivery/dispatch.ts"
import { selectDeliveries } from "../delivery/selectDeliveries.ts"
import { roomForBodies } from "../prompt/promptLogging.ts"
import { AdmittedSizes, LiveAdmissions } from "../ledger/AdmittedSizes.ts"
import { type CostOfUsage, costOfUsage } from "../ledger/costOfUsage.ts"
import { type UsageQuantities, quantitiesOf } from "../ledger/endpointPrices.ts"
import { estimateCost, type PricedEndpoint } from "../ledger/estimateCost.ts"
import { requireAdmission } from "../ledger/operations.ts"
import { printedWindow } from "../ledger/readKeyBudgets.ts"
import { compiledSource } from "../policy/DecisionCache.ts"
import { BudgetLedger, type HeldUnder, KeyRateCounts } from "../ports/ledger.ts"
import { PolicySources } from "../ports/policySources.ts"
import { UsageLog } from "../ports/usage.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { operation } from "../tracing/operation.ts"
import { resolveUsageEvents } from "../usage/resolveUsageEvents.ts"
import { invalid } from "../value/failure.ts"
import { formatUsd, largest } from "../value/money.ts"
import type { UsageCost } from "./Enforcement.ts"
import { requestedModels } from "./resolveRequest.ts"

/** The endpoints that the event may refer to: that of its tag, otherwise all of its provider. */
const endpointsOf = Effect.fnUntraced(function* (
  account_id: string,
  { model, provider, endpoint_tag }: SettlementReport
) {
  const endpoints = (yield* requestedModels(account_id, [model])).flatMap((entry) => entry.endpoints)
  const tagged = endpoints.filter(({ tag }) => tag === endpoint_tag)
  return tagged.length > 0
    ? tagged
    : endpoints.filter(({ provider_slug, provider_name }) => provider === provider_slug || provider === provider_name)
})

/** What was held under an id: this process remembers it, or the store. */
const heldUnder = Effect.fnUntraced(function* ({ account_id, holds }: AdmissionToken, id: string) {
  const own = (yield* AdmittedSizes).find(id)
  if (own !== undefined || !holds) return own
  return Option.getOrUndefined(yield* (yield* BudgetLedger).heldUnder(account_id, id))
})

/** `undefined` if only a kind of capacity was held for that the request did not use. */
const boundOf = ({ nanos, shared_nanos }: HeldUnder, byok: boolean): bigint | undefined =>
  byok || nanos === 0n ? nanos : shared_nanos === 0n ? undefined : shared_nanos

/**
 * A price that rose since the admission: usage within the admitted size costs no more than was held for it, and usage beyond the size the
 * difference at the present price.
 */
const withinHold = (endpoint: PricedEndpoint, size: RequestSize, held: bigint, cost: CostOfUsage): CostOfUsage => {
  const most = held + largest([cost.nanos - estimateCost(endpoint, size)])
  return cost.nanos > most ? { ...cost, nanos: most } : cost
}

/** Nano-dollars. Fails with 400 if neither the usage nor a hold determines it. */
const nanosOf = Effect.fnUntraced(function* (
  token: AdmissionToken,
  id: string,
  event: SettlementReport,
  usage: UsageQuantities
) {
  const at = new Date(event.created_at)
  const endpoints: readonly CatalogEndpoint[] = yield* endpointsOf(token.account_id, event)
  const held = yield* heldUnder(token, id)
  const bound = token.is_bounded && held !== undefined ? boundOf(held, event.byok === true) : undefined
  const costs = endpoints.map((endpoint) => {
    const cost = costOfUsage(endpoint, usage, at, held?.size)
    if (cost === undefined || bound === undefined || held?.size === undefined) return cost
    return withinHold(endpoint, held.size, bound, cost)
  })
  const known = costs.flatMap((cost) => cost ?? [])
  const reported = largest(known.map(({ nanos }) => nanos))
  const isKnown = known.length > 0 && known.length === costs.length
  if (isKnown && known.every(({ isWhole }) => isWhole)) return reported
  if (token.holds && held !== undefined) return largest([reported, held.nanos])
  // The first settlement of an id counts; later ones change nothing.
  if ((yield* (yield* UsageLog).recordedOf(token.account_id, [id])).has(id)) return 0n
  if (!isKnown)
    return yield* invalid("price_unknown", "event.cost_usd", "Expected the cost: the catalog has no price for it")
  const { prompt_tokens, completion_tokens, completion_bytes } = usage
  if (prompt_tokens === undefined || (completion_tokens === undefined && completion_bytes === undefined))
    return yield* invalid(
      "usage_required",
      "event.prompt_tokens",
      "Expected usage or cost_usd: nothing was held that could be charged in its place"
    )
  return reported
})

/**
 * The charge of a settlement: the cost that it names, otherwise the cost of the reported usage at the catalog's prices.
 *
 * Rule: money#cost-of-usage: what was not reported is charged at what was held for it. The process that admitted remembers
 * the size of the request; any other reads it with the hold. If neither is available, all that was held is charged.
 *
 * The cost fields of the event.
 */
export const settledCost = Effect.fnUntraced(function* (token: AdmissionToken, id: string, event: SettlementReport) {
  const byok = event.byok === true
  const { cost_usd, byok_cost_usd = null } = event
  if (cost_usd != null) return { cost_usd, byok, byok_cost_usd }
  if (byok && byok_cost_usd !== null) return { cost_usd: "0", byok, byok_cost_usd }
  const usd = formatUsd(yield* nanosOf(token, id, event, quantitiesOf(event)))
  const cost: UsageCost = byok
    ? { cost_usd: "0", byok, byok_cost_usd: usd }
    : { cost_usd: usd, byok, byok_cost_usd: null }
  return cost
})

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
  const deliveries = yield* selectDeliveries(
    [{ account_id: token.account_id, event: recorded, reported: event, isForgotten: token.forgets }],
    roomForBodies(caller)
  )
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
