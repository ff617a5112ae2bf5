/** What a request is charged: what its answer used, and what was spent on attempts that were given up before it. */
import type { AdmittedCandidate } from "@gatewarden/contract"
import type { GrantedAdmission, TokenUsage, UsageCost } from "@gatewarden/core"
import { formatUsd, parseUsd, recordableNanos } from "@gatewarden/core/store"

/** At most what can be recorded: a larger sum would be refused, and nothing charged. */
const sumOf = (amounts: readonly string[]): string =>
  formatUsd(recordableNanos(amounts.reduce((sum, amount) => sum + (parseUsd(amount) ?? 0n), 0n)))

/** Whatever has a price: nothing was bought. */
const nothing = ({ source }: AdmittedCandidate): UsageCost =>
  source === "byok"
    ? { cost_usd: "0", byok: true, byok_cost_usd: "0" }
    : { cost_usd: "0", byok: false, byok_cost_usd: null }

/** An attempt that was given up, and what it says that it used, if it says so. */
export interface Abandoned {
  readonly candidate: AdmittedCandidate
  readonly used: TokenUsage | null
}

/**
 * `used` at the candidate's prices; `null`: nothing was. `abandoned`: who was still at work when the gateway hung up, or failed and says what it
 * used, and may bill for it. If it does not say, all is charged as it was held: what a model thinks, or writes without a stream, comes through
 * last, however much it is.
 */
export const chargeOf = (
  { costOf }: Pick<GrantedAdmission, "costOf">,
  candidate: AdmittedCandidate,
  used: TokenUsage | null,
  abandoned: readonly Abandoned[]
): UsageCost => {
  const own = used === null ? nothing(candidate) : costOf(candidate, used)
  if (abandoned.length === 0) return own
  const costs = [own, ...abandoned.map((each) => costOf(each.candidate, each.used ?? {}))]
  const ofKeys = costs.flatMap(({ byok_cost_usd }) => byok_cost_usd ?? [])
  return {
    cost_usd: sumOf(costs.map(({ cost_usd }) => cost_usd)),
    byok: own.byok,
    byok_cost_usd: ofKeys.length === 0 ? null : sumOf(ofKeys)
  }
}
