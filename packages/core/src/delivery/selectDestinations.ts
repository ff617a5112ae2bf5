/**
 * Decides which destinations receive an event. Pure: every process, at any time, decides the same.
 *
 * Rule: observability#selection, observability#sampling.
 */
import type { Destination, Region } from "@gatewarden/contract"
import type { PatternEngineFunctions } from "../filter/patterns/re2jsEngine.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import type { Step } from "../value/inSlices.ts"
import { type CompiledRules, compileRules, type JudgedEvent, searchBudget } from "./filterRules.ts"
import { sampledShare } from "./sampledShare.ts"

/** An enabled destination, ready to decide. */
export interface Recipient {
  readonly id: string
  readonly receivesBodies: boolean
  readonly sampling_rate: number
  /** `null`: all keys. */
  readonly keys: ReadonlySet<string> | null
  readonly regions: ReadonlySet<Region>
  readonly rules: CompiledRules | null
}

/** The part of a destination that decides. */
export type SelectingFields = Pick<
  Destination,
  "id" | "privacy_mode" | "sampling_rate" | "api_key_hashes" | "regions" | "filter_rules"
>

export const recipientOf = (destination: SelectingFields, engine: PatternEngineFunctions): Recipient => ({
  id: destination.id,
  receivesBodies: !destination.privacy_mode,
  sampling_rate: destination.sampling_rate,
  keys: destination.api_key_hashes === null ? null : new Set(destination.api_key_hashes),
  regions: new Set(destination.regions),
  rules: compileRules(destination.filter_rules, engine)
})

/** What is in the sample together: the session, else the trace, else the event alone. */
export const sampledGroup = ({ session_id, trace, id }: UsageEvent): string => {
  if (session_id !== null) return session_id
  const trace_id = trace !== null && Object.hasOwn(trace, "trace_id") ? trace["trace_id"] : undefined
  return typeof trace_id === "string" && trace_id !== "" ? trace_id : id
}

const isSampled = ({ id, sampling_rate }: Recipient, event: UsageEvent): boolean =>
  sampling_rate >= 1 || sampledShare(id, sampledGroup(event)) < sampling_rate

const isOfKey = ({ keys }: Recipient, { api_key_hash }: UsageEvent): boolean =>
  keys === null || (api_key_hash !== null && keys.has(api_key_hash))

/** The recipients that an event is for, in their order. Rules come last, because they may take long. */
export function* selectDestinations(
  recipients: readonly Recipient[],
  judged: JudgedEvent
): Generator<Step, readonly Recipient[]> {
  const { event } = judged
  const budget = searchBudget()
  const selected: Recipient[] = []
  for (const recipient of recipients) {
    if (!recipient.regions.has(event.data_region ?? "global")) continue
    if (!isOfKey(recipient, event) || !isSampled(recipient, event)) continue
    if (recipient.rules === null || (yield* recipient.rules.judge(judged, budget))) selected.push(recipient)
  }
  return selected
}
