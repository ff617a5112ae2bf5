/**
 * Decides whether a workspace keeps input and output of a request. Pure, but for the guardrails of its key, which a cache has.
 *
 * Rule: usage#prompt-logging.
 */
import type { Workspace } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { compiledSource } from "../policy/DecisionCache.ts"
import { numericKeyId } from "../access/keyFormat.ts"
import type { UsageEvent } from "../ports/usage.ts"

/**
 * Where a session lies in the sampling of a destination: from 0 up to, but not including, 1.
 *
 * Rule: observability#sampling. Each process computes the same number, also after a restart, so the algorithm must never change: a test
 * holds it to fixed values. Not a secret and not for secrets.
 */
const seedOfFirst = 0xdeadbeef
const seedOfSecond = 0x41c6ce57

/** Two 32-bit lanes with multiplications that mix every bit; 53 bits of them are the number. */
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

/** What a workspace that keeps bodies has set. */
export interface PromptLogging {
  readonly sampling_rate: number
  /** `null`: all keys. */
  readonly key_ids: ReadonlySet<number> | null
}

export type LoggingFields = Pick<
  Workspace,
  "io_logging_api_key_ids" | "io_logging_sampling_rate" | "is_observability_io_logging_enabled"
>

/** `null` where the workspace keeps none. */
export const promptLoggingOf = (workspace: LoggingFields): PromptLogging | null =>
  workspace.is_observability_io_logging_enabled
    ? {
        sampling_rate: workspace.io_logging_sampling_rate,
        key_ids: workspace.io_logging_api_key_ids === null ? null : new Set(workspace.io_logging_api_key_ids)
      }
    : null

/** Whether the settings of the workspace choose the request. An event without a key is of none. */
export const isLogged = ({ sampling_rate, key_ids }: PromptLogging, event: UsageEvent): boolean =>
  event.api_key_hash !== null &&
  (key_ids === null || key_ids.has(numericKeyId(event.api_key_hash))) &&
  (sampling_rate >= 1 || sampledShare(event.workspace_id, sampledGroup(event)) < sampling_rate)

/**
 * Whether the guardrails of the event's key let bodies be kept: those of a key that does not exist are not known, and zero data retention of
 * any vendor forbids it.
 */
export const mayBeKept = Effect.fnUntraced(function* (account_id: string, api_key_hash: string) {
  const source = yield* compiledSource(account_id, api_key_hash)
  return Option.isSome(source) && source.value.policy.effective.enforced_zdr.size === 0
})
