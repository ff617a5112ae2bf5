/**
 * The charge of a settlement: the cost that it names, otherwise the cost of the reported usage at the catalog's prices.
 *
 * Rule: money#cost-of-usage: what was not reported is charged at what was held for it. The process that admitted remembers
 * the size of the request; any other reads it with the hold. If neither is available, all that was held is charged.
 */
import type { CatalogEndpoint, SettlementReport } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { invalid } from "../value/failure.ts"
import { formatUsd } from "../value/money.ts"
import { UsageLog } from "../ports/usage.ts"
import { AdmittedSizes } from "../ledger/AdmittedSizes.ts"
import type { AdmissionToken } from "../access/AdmissionTokens.ts"
import { BudgetLedger, type HeldUnder } from "../ports/ledger.ts"
import { costOfUsage } from "../ledger/costOfUsage.ts"
import type { UsageCost } from "./Enforcement.ts"
import { requestedModels } from "./requestedModels.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { quantitiesOf, type UsageQuantities } from "../ledger/usageQuantities.ts"

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

const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n)

/** Nano-dollars. Fails with 400 if neither the usage nor a hold determines it. */
const nanosOf = Effect.fnUntraced(function* (
  token: AdmissionToken,
  id: string,
  event: SettlementReport,
  usage: UsageQuantities
) {
  const at = new Date(event.created_at)
  const endpoints: readonly CatalogEndpoint[] = yield* endpointsOf(token.account_id, event)
  const reckon = (size: RequestSize | undefined) => {
    const costs = endpoints.map((endpoint) => costOfUsage(endpoint, usage, at, size))
    const known = costs.flatMap((cost) => cost ?? [])
    const isKnown = known.length > 0 && known.length === costs.length
    return {
      reported: largest(known.map(({ nanos }) => nanos)),
      isKnown,
      isWhole: isKnown && known.every(({ isWhole }) => isWhole)
    }
  }
  const admitted = (yield* AdmittedSizes).find(id)
  const { reported, isKnown, isWhole } = reckon(admitted)
  if (isWhole) return reported
  const held = token.holds ? yield* (yield* BudgetLedger).heldUnder(token.account_id, id) : Option.none<HeldUnder>()
  if (Option.isSome(held)) {
    const { nanos, size } = held.value
    const again = admitted === undefined && size !== undefined ? reckon(size) : { reported, isWhole }
    return again.isWhole || again.reported > nanos ? again.reported : nanos
  }
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

/** The cost fields of the event. */
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
