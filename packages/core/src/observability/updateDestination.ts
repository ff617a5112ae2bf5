import type { UpdateDestination } from "@gatewarden/contract"
import { Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest, notFound } from "../value/failure.ts"
import { requireLiveKeys } from "../access/requireLiveKeys.ts"
import { refusePatterns } from "../guardrail/refusePatterns.ts"
import { entityTooLarge, isOversized } from "../ports/limits.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { checkConfig } from "./checkConfig.ts"
import { Destinations, type ReplacedConfig, type StoredDestination, destinationChange } from "../ports/destinations.ts"
import { maskConfig } from "./maskConfig.ts"
import { mergeConfig } from "./mergeConfig.ts"
import { patternsOfRules } from "./patternsOfRules.ts"
import { openConfig, placeOfConfig, sealConfig } from "./sealConfig.ts"
import { changesBodies, requirePrompts } from "./requirePrompts.ts"
import { hasNewAddress, secretsForNewAddress } from "./secretsForNewAddress.ts"

type PartOfConfig = Redacted.Redacted<NonNullable<UpdateDestination["config"]>>

/** The stored config with the fields that were sent. Undefined when they change nothing. */
const replacedConfig = Effect.fnUntraced(function* (
  caller: Caller,
  { destination, sealed_config: replaces }: StoredDestination,
  sent: PartOfConfig
) {
  const place = placeOfConfig(caller.account_id, destination)
  const stored = yield* openConfig(replaces, place)
  const { config: merged, masked } = mergeConfig(destination.type, Redacted.value(stored), Redacted.value(sent))
  if (masked.length > 0)
    return yield* new BadRequest({
      reason: "masked_value",
      issues: masked.map((path) => ({
        path,
        code: "masked_value",
        message: "Expected the whole secret, or what is shown of the stored one"
      }))
    })
  const config = yield* checkConfig(destination.type, merged)
  const moves = hasNewAddress(destination.type, Redacted.value(stored), config)
  const missing = moves
    ? secretsForNewAddress(destination.type, Redacted.value(stored), Redacted.value(sent), config)
    : []
  if (missing.length > 0)
    return yield* new BadRequest({
      reason: "secret_required",
      issues: missing.map((path) => ({
        path,
        code: "secret_required",
        message: "Expected the whole secret, because the address has another host"
      }))
    })
  if (JSON.stringify(config) === JSON.stringify(Redacted.value(stored))) return undefined
  const sealed_config = yield* sealConfig(Redacted.make(config), place)
  return { replaces, config: maskConfig(destination.type, config), sealed_config, moves } satisfies ReplacedConfig
})

/** Rule: observability#merged-configs, observability#new-addresses, requests#patches. */
export const updateDestination = operation("updateDestination")(function* (
  caller: Caller,
  id: string,
  config: PartOfConfig | undefined,
  fields: Omit<UpdateDestination, "config">
) {
  const { filter_rules } = fields
  if (filter_rules != null) yield* refusePatterns(patternsOfRules(filter_rules))
  const destinations = yield* Destinations
  const change = destinationChange(fields)
  for (;;) {
    const found = yield* destinations.find(caller.account_id, id)
    if (Option.isNone(found)) return yield* notFound()
    const { destination } = found.value
    yield* requireLiveKeys(caller, change.api_key_hashes, "api_key_hashes", destination.api_key_hashes)
    const replaced = config === undefined ? undefined : yield* replacedConfig(caller, found.value, config)
    if (changesBodies(destination, change, replaced !== undefined)) yield* requirePrompts(caller)
    const outcome = yield* destinations.update(caller.account_id, id, change, replaced, yield* timestamp)
    if (outcome === "missing") return yield* notFound()
    if (isOversized(outcome))
      return yield* entityTooLarge("destination", outcome, { ...fields, ...(replaced && { config: replaced.config }) })
    // Whoever was first has made progress, so that this ends. What was sent is merged into what they have stored.
    if (outcome !== "superseded") return outcome
  }
})
