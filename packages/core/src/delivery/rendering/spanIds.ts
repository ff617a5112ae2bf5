import { Effect } from "effect"
import { Digest } from "../../platform/Digest.ts"
import type { UsageEvent } from "../../ports/usage.ts"
import type { DeliveredEvent } from "./Renderer.ts"

const named = ["trace_id", "trace_name", "span_name", "generation_name", "parent_span_id"] as const
type NamedKey = (typeof named)[number]

/**
 * The keys of `trace` that have a meaning; every other key is metadata.
 *
 * Rule: observability#what-a-platform-receives.
 */
export type TraceKeys = { readonly [Key in NamedKey]: string | undefined } & {
  readonly metadata: readonly (readonly [key: string, value: unknown])[]
}

/** Names of spans are labels; what is longer is no name. */
const longest = 1024

const isName = (key: string): key is NamedKey => (named as readonly string[]).includes(key)

/** An id of W3C in lower case; `undefined` for any other text, and for the one of zeros, which stands for none. */
export const hexId = (length: 16 | 32, value: string | undefined): string | undefined =>
  value !== undefined && value.length === length && /^[0-9a-f]+$/i.test(value) && !/^0+$/.test(value)
    ? value.toLowerCase()
    : undefined

/** Whether spans say what the key says; what they cannot say stays metadata. */
const isTold = (key: NamedKey, value: string | undefined): boolean => {
  if (key === "trace_id") return hexId(32, value) !== undefined
  if (key === "parent_span_id") return hexId(16, value) !== undefined
  return value !== undefined
}

const noKeys: TraceKeys = {
  trace_id: undefined,
  trace_name: undefined,
  span_name: undefined,
  generation_name: undefined,
  parent_span_id: undefined,
  metadata: []
}

/** A named key counts when it is a text that is not empty. */
export const traceKeysOf = ({ trace }: UsageEvent): TraceKeys => {
  if (trace === null) return noKeys
  const read = (key: NamedKey): string | undefined => {
    const value = Object.hasOwn(trace, key) ? trace[key] : undefined
    return typeof value === "string" && value !== "" && value.length <= longest ? value : undefined
  }
  const names = Object.fromEntries(named.map((key) => [key, read(key)])) as Record<NamedKey, string | undefined>
  return {
    ...names,
    metadata: Object.entries(trace).filter(([key, value]) => !isName(key) || (value !== "" && !isTold(key, names[key])))
  }
}

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
