/**
 * Judges the answer of an OTLP intake: a success may reject spans.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
import type { DeliveryVerdict, RenderedRequest } from "./Renderer.ts"
import { judgeStatus } from "./judgeStatus.ts"
import { readPartialSuccess } from "./readPartialSuccess.ts"

/**
 * An intake says how many spans it rejected and not which, and OTLP forbids to repeat the request. If it rejected all, its events are refused.
 * Otherwise the request counts as accepted, with the number that was rejected: repeating it in parts would be repeating it.
 */
export const judgeOtlp = (
  status: number,
  _body: string,
  { events, spans = events.length }: Pick<RenderedRequest, "events" | "spans">,
  answer: Uint8Array
): DeliveryVerdict => {
  const verdict = judgeStatus(status)
  if (verdict.kind !== "accepted") return verdict
  const partial = readPartialSuccess(answer)
  if (partial === undefined || partial.rejected <= 0) return verdict
  const rejected = Math.trunc(partial.rejected)
  const message = `The platform rejected ${rejected} of the spans.`
  return rejected >= spans && events.length > 0
    ? { kind: "partly", refused: events, message }
    : { kind: "accepted", rejected, message }
}
