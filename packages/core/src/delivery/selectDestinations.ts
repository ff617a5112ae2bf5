/**
 * Decides which destinations receive an event. Pure: every process, at any time, decides the same.
 *
 * Rule: observability#selection, observability#sampling.
 */
import type { Destination, Region } from "@gatewarden/contract"
import type { UsageEvent } from "../ports/usage.ts"
import type { Step } from "../value/inSlices.ts"
import { bytesHeld } from "../value/bytes.ts"
import {
  type CompiledRules,
  compileRules,
  type JudgedEvent,
  type SharedBudget,
  sharedBudget,
  spending
} from "./filterRules.ts"
import { sampledGroup, sampledShare } from "../destination/sampling.ts"

/** An enabled destination, ready to decide. */
export interface Recipient {
  readonly id: string
  readonly receivesBodies: boolean
  readonly sampling_rate: number
  /** `null`: all keys. */
  readonly keys: ReadonlySet<string> | null
  readonly regions: ReadonlySet<Region>
  readonly rules: CompiledRules | null
  /** What its lists and rules take, roughly. */
  readonly bytes: number
}

/** The part of a destination that decides. */
export type SelectingFields = Pick<
  Destination,
  "id" | "privacy_mode" | "sampling_rate" | "api_key_hashes" | "regions" | "filter_rules"
>

export const recipientOf = (destination: SelectingFields): Recipient => ({
  id: destination.id,
  receivesBodies: !destination.privacy_mode,
  sampling_rate: destination.sampling_rate,
  keys: destination.api_key_hashes === null ? null : new Set(destination.api_key_hashes),
  regions: new Set(destination.regions),
  rules: compileRules(destination.filter_rules),
  bytes: bytesHeld([destination.api_key_hashes, destination.filter_rules])
})

const isSampled = ({ id, sampling_rate }: Recipient, event: UsageEvent): boolean =>
  sampling_rate >= 1 || sampledShare(id, sampledGroup(event)) < sampling_rate

const isOfKey = ({ keys }: Recipient, { api_key_hash }: UsageEvent): boolean =>
  keys === null || (api_key_hash !== null && keys.has(api_key_hash))

const isFor = (recipient: Recipient, event: UsageEvent): boolean =>
  recipient.regions.has(event.data_region ?? "global") && isOfKey(recipient, event) && isSampled(recipient, event)

/**
 * The recipients that an event is for as far as is known without their rules, in their order: `recipients` itself if it is for all of
 * them, so that thousands of events share one list.
 */
export const selectBeforeRules = (recipients: readonly Recipient[], event: UsageEvent): readonly Recipient[] => {
  const selected = recipients.filter((recipient) => isFor(recipient, event))
  return selected.length === recipients.length ? recipients : selected
}

/** Those of `before`, which `selectBeforeRules` has selected, whose rules the event fulfils, too. Rules may take long. */
export function* selectByRules(
  before: readonly Recipient[],
  judged: JudgedEvent,
  shared: SharedBudget
): Generator<Step, readonly Recipient[]> {
  if (before.every(({ rules }) => rules === null)) return before
  const selected = yield* spending(shared, function* (budget) {
    const passed: Recipient[] = []
    for (const recipient of before)
      if (recipient.rules === null || (yield* recipient.rules.judge(judged, budget))) passed.push(recipient)
    return passed
  })
  return selected.length === before.length ? before : selected
}

/** The recipients that an event is for, in their order. */
export const selectDestinations = (
  recipients: readonly Recipient[],
  judged: JudgedEvent,
  shared: SharedBudget = sharedBudget()
) => selectByRules(selectBeforeRules(recipients, judged.event), judged, shared)
