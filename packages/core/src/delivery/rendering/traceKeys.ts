/**
 * The keys of `trace` that have a meaning; every other key is metadata.
 *
 * Rule: observability#what-a-platform-receives.
 */
import type { UsageEvent } from "../../ports/usage.ts"

const named = ["trace_id", "trace_name", "span_name", "generation_name", "parent_span_id"] as const
type NamedKey = (typeof named)[number]

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
