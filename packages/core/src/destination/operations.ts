import {
  type CreateDestination,
  type Destination,
  type QueryOf,
  type UpdateDestination,
  destinationsPerType,
  type listDestinations as declaration
} from "@gatewarden/contract/internal"
import { Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireLiveKeys } from "../access/liveKeys.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/workspaceOfRequest.ts"
import { refusePatterns } from "../guardrail/guardrail.ts"
import { Entropy } from "../platform/Entropy.ts"
import {
  type DestinationChange,
  type ReplacedConfig,
  type StoredDestination,
  Destinations
} from "../ports/destinations.ts"
import { isOversized, maxDestinationBytes, oversized } from "../ports/limits.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/calendar.ts"
import { BadRequest, Conflict, notFound } from "../value/failure.ts"
import {
  checkConfig,
  hasNewAddress,
  maskConfig,
  mergeConfig,
  openConfig,
  patternsOfRules,
  contextOfConfig,
  sealConfig,
  secretsForNewAddress
} from "./config.ts"
import { changesBodies, requirePrompts, tellsOfBodies } from "./requirePrompts.ts"
import { entityTooLarge } from "../limits/requireQuota.ts"
import { sentFields } from "../value/sentFields.ts"

/** Rule: observability#destinations, requests#additional-fields. */
export const createDestination = operation("createDestination")(function* (
  caller: Caller,
  config: Redacted.Redacted<CreateDestination["config"]>,
  fields: Omit<CreateDestination, "config">
) {
  const filter_rules = fields.filter_rules ?? null
  if (filter_rules !== null) yield* refusePatterns(patternsOfRules(filter_rules))

  yield* requireLiveKeys(caller, fields.api_key_hashes, "api_key_hashes")
  if (tellsOfBodies({ privacy_mode: fields.privacy_mode ?? false, filter_rules })) yield* requirePrompts(caller)
  const now = yield* timestamp
  const identity = {
    id: (yield* Entropy).uuid(),
    workspace_id: yield* resolveWorkspace(caller, fields.workspace_id, "workspace_id")
  }
  // The contract has checked that type and config match; the spread of a union loses that type.
  const destination = {
    ...identity,
    name: fields.name ?? null,
    enabled: fields.enabled ?? true,
    privacy_mode: fields.privacy_mode ?? false,
    sampling_rate: fields.sampling_rate ?? 1,
    api_key_hashes: fields.api_key_hashes ?? null,
    filter_rules,
    broadcast_generation_cost: fields.broadcast_generation_cost ?? false,
    broadcast_generation_identity: fields.broadcast_generation_identity ?? false,
    broadcast_generation_request_context: fields.broadcast_generation_request_context ?? false,
    regions: fields.regions ?? ["global"],
    created_at: now,
    updated_at: now,
    type: fields.type,
    config: maskConfig(fields.type, Redacted.value(config))
  } as Destination
  const refused = oversized(undefined, destination, maxDestinationBytes)
  if (refused !== undefined)
    return yield* entityTooLarge("destination", refused, { ...fields, config: destination.config })
  const sealed_config = yield* sealConfig(config, contextOfConfig(caller.account_id, identity))

  const destinations = yield* Destinations
  switch (yield* destinations.insert(caller.account_id, destination, sealed_config)) {
    case "inserted":
      return destination
    case "missing":
      return yield* unknownWorkspace("workspace_id")
    case "full":
      return yield* new Conflict({
        reason: "destination_limit",
        issues: [
          {
            path: "type",
            code: "destination_limit",
            message: `The workspace has ${destinationsPerType} destinations of this type already`
          }
        ]
      })
  }
})

/** Rule: observability#deleted-destinations. */
export const deleteDestination = operation("deleteDestination")(function* (caller: Caller, id: string) {
  if (!(yield* (yield* Destinations).remove(caller.account_id, id))) return yield* notFound()
  return { deleted: true as const }
})

/** Rule: observability#masked-configs. */
export const getDestination = operation("getDestination")(function* (caller: Caller, id: string) {
  const found = yield* (yield* Destinations).find(caller.account_id, id)
  return Option.isSome(found) ? found.value.destination : yield* notFound()
})

/** Rule: observability#destinations. Every type in the table is of stable release status, so all are listed. */
export const listDestinations = operation("listDestinations")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const destinations = yield* Destinations
  return yield* destinations.list(caller.account_id, { workspace_id: workspace }, page)
})

type PartOfConfig = Redacted.Redacted<NonNullable<UpdateDestination["config"]>>

/** The stored config with the fields that were sent. Undefined when they change nothing. */
const replacedConfig = Effect.fnUntraced(function* (
  caller: Caller,
  { destination, sealed_config: replaces }: StoredDestination,
  sent: PartOfConfig
) {
  const context = contextOfConfig(caller.account_id, destination)
  const stored = yield* openConfig(replaces, context)
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
  const sealed_config = yield* sealConfig(Redacted.make(config), context)
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

const nullable = ["name", "api_key_hashes", "filter_rules"] as const

/** For these fields `null` counts as absent, where the contract accepts it. */
const notNullable = [
  "enabled",
  "privacy_mode",
  "sampling_rate",
  "broadcast_generation_cost",
  "broadcast_generation_identity",
  "broadcast_generation_request_context",
  "regions"
] as const

export const destinationChange = (fields: Omit<UpdateDestination, "config">): DestinationChange =>
  sentFields(fields, nullable, notNullable)
