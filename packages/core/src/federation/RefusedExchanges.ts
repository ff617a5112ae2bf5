/**
 * How many tokens are refused under a policy: nobody who names one makes this process verify signatures without end.
 *
 * Rule: authorization#token-exchange. In memory, because a row for each would cost more than the signature; generous, because whoever
 * knows the id of a policy can use it up.
 */
import { Context, Layer } from "effect"
import { Pace } from "../limits/Pace.ts"

/** Refused tokens of one policy: at once, and from then on. */
export const refusedAtOnce = 600
const refusedPerSecond = 20
const maxPolicies = 10_000

export class RefusedExchanges extends Context.Service<RefusedExchanges, Pace>()("gatewarden/RefusedExchanges") {}

export const layerRefusedExchanges = Layer.sync(
  RefusedExchanges,
  () => new Pace({ turns: refusedAtOnce, perSecond: refusedPerSecond, maxNames: maxPolicies })
)
