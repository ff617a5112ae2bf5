import { Effect } from "effect"
import { Digest } from "../../platform/Digest.ts"
import type { DeliveredEvent } from "./Renderer.ts"
import { type TraceKeys, hexId } from "./traceKeys.ts"

export interface SpanIds {
  readonly trace: string
  readonly span: string
  /** Of the span that `span_name` adds. */
  readonly added: string
  /** Of the span that the caller names as parent. */
  readonly parent: string | undefined
}

/**
 * The same event has the same ids whenever it is sent and by whichever process, so that a platform recognises a repetition. The caller's
 * own trace id is used if it is one of W3C; another text gets an id of its own, which all events with this text share. A parent that is
 * no span id cannot be linked to.
 */
export const spanIdsOf = ({ account_id, event }: DeliveredEvent, keys: TraceKeys): Effect.Effect<SpanIds> =>
  Effect.flatMap(Digest, ({ sha256Hex }) => {
    const idsOf = (own: string, trace: string): SpanIds => ({
      trace,
      span: own.slice(32, 48),
      added: own.slice(48, 64),
      parent: hexId(16, keys.parent_span_id)
    })
    const ownHash = sha256Hex(`span ${account_id} ${event.id}`)
    const known = hexId(32, keys.trace_id)
    if (known !== undefined || keys.trace_id === undefined)
      return Effect.map(ownHash, (own) => idsOf(own, known ?? own.slice(0, 32)))
    const traceHash = sha256Hex(`trace ${account_id} ${keys.trace_id}`)
    return Effect.flatMap(ownHash, (own) => Effect.map(traceHash, (trace) => idsOf(own, trace.slice(0, 32))))
  })
