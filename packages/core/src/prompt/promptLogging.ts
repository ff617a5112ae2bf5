/**
 * Decides whether a workspace keeps input and output of a request, and whether its account has room for them.
 *
 * Rule: usage#prompt-logging.
 */
import type { Workspace } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { compiledSource } from "../policy/DecisionCache.ts"
import type { Caller } from "../access/Caller.ts"
import { numericKeyId } from "../access/keyFormat.ts"
import { roomIn } from "../limits/requireQuota.ts"
import { sampledGroup, sampledShare } from "../destination/sampling.ts"
import type { UsageEvent } from "../ports/usage.ts"

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

/**
 * Encrypts bodies while their account has room for them; `null` beyond the quota. One request has one: what it takes is not stored until it
 * commits, so it is counted here.
 */
export const roomForBodies = ({ kind }: Pick<Caller, "kind">) => {
  const left = new Map<string, number>()
  return Effect.fnUntraced(function* <R>(account_id: string, sealing: Effect.Effect<Uint8Array, never, R>) {
    const room = left.get(account_id) ?? (yield* roomIn("body_bytes_per_account", { account_id, kind }))
    left.set(account_id, room)
    if (room <= 0) return null
    const sealed = yield* sealing
    if (sealed.length > room) return null
    left.set(account_id, room - sealed.length)
    return sealed
  })
}
