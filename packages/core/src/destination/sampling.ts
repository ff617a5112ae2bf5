/**
 * Which events are in the sample of a destination, and in that of a workspace that keeps prompts.
 *
 * Rule: observability#sampling. Each process computes the same number, also after a restart, so the algorithm must never change: a test
 * holds it to fixed values. Not a secret and not for secrets.
 */
import type { UsageEvent } from "../ports/usage.ts"

const seedOfFirst = 0xdeadbeef
const seedOfSecond = 0x41c6ce57

/**
 * Where a session lies in the sampling of a destination: from 0 up to, but not including, 1.
 *
 * Two 32-bit lanes with multiplications that mix every bit; 53 bits of them are the number.
 */
export const sampledShare = (destination_id: string, group: string): number => {
  const text = `${destination_id} ${group}`
  let first = seedOfFirst
  let second = seedOfSecond
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    first = Math.imul(first ^ code, 2654435761)
    second = Math.imul(second ^ code, 1597334677)
  }
  first = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909)
  second = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909)
  return ((second >>> 0) * 2 ** 21 + (first >>> 11)) / 2 ** 53
}

/** What is in the sample together: the session, else the trace, else the event alone. */
export const sampledGroup = ({ session_id, trace, id }: UsageEvent): string => {
  if (session_id !== null) return session_id
  const trace_id = trace !== null && Object.hasOwn(trace, "trace_id") ? trace["trace_id"] : undefined
  return typeof trace_id === "string" && trace_id !== "" ? trace_id : id
}
