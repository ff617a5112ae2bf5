/**
 * Judges the answer of an OTLP intake: a success may reject spans.
 *
 * Source: https://opentelemetry.io/docs/specs/otlp/#partial-success-1
 */
import { judgeStatus } from "../judgeStatus.ts"
import type { DeliveryVerdict, RenderedRequest } from "../Renderer.ts"
import { readPartialSuccess } from "./readPartialSuccess.ts"

const longestMessage = 500

/**
 * An intake says how many spans it rejected and not which, and OTLP forbids to repeat the request. If it rejected all, its events are refused.
 * Otherwise the request counts as accepted, with the number that was rejected: repeating it in parts would be repeating it.
 */
export const judgeOtlp = (
  status: number,
  body: string,
  { events, spans = events.length }: Pick<RenderedRequest, "events" | "spans">,
  answer: Uint8Array
): DeliveryVerdict => {
  const verdict = judgeStatus(status)
  if (verdict.kind !== "accepted") return explained(verdict, body)
  const partial = readPartialSuccess(answer)
  if (partial === undefined || partial.rejected <= 0) return verdict
  const rejected = Math.trunc(partial.rejected)
  const message = `The platform rejected ${rejected} of the spans: ${partial.message.slice(0, longestMessage)}`
  return rejected >= spans && events.length > 0
    ? { kind: "partly", refused: events.map((id) => ({ id, message })) }
    : { kind: "accepted", rejected, message }
}

/** With the start of what the platform says. */
const explained = (verdict: DeliveryVerdict, body: string): DeliveryVerdict => {
  const reason = body.trim().slice(0, longestMessage)
  return "message" in verdict && reason !== "" ? { ...verdict, message: `${verdict.message} ${reason}` } : verdict
}
