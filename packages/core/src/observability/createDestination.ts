import { type CreateDestination, type Destination, destinationsPerType } from "@gatewarden/contract"
import { Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireLiveKeys } from "../access/requireLiveKeys.ts"
import { Conflict } from "../value/failure.ts"
import { refusePatterns } from "../guardrail/refusePatterns.ts"
import { entityTooLarge, oversized } from "../ports/limits.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace, unknownWorkspace } from "../access/resolveWorkspace.ts"
import { Destinations } from "../ports/destinations.ts"
import { maskConfig } from "./maskConfig.ts"
import { patternsOfRules } from "./patternsOfRules.ts"
import { requirePrompts, tellsOfBodies } from "./requirePrompts.ts"
import { placeOfConfig, sealConfig } from "./sealConfig.ts"

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
  const refused = oversized(undefined, destination)
  if (refused !== undefined)
    return yield* entityTooLarge("destination", refused, { ...fields, config: destination.config })
  const sealed_config = yield* sealConfig(config, placeOfConfig(caller.account_id, identity))

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
