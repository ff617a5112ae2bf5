/**
 * Keeps keys that may not read prompts from sending bodies of requests anywhere, and from asking what is in them.
 *
 * Rule: observability#who-may-send-bodies. A restricted key without `prompts` neither lets a destination receive or search bodies, nor changes
 * where or of which requests one does so, nor sends kept ones again, nor turns the deliveries of a workspace on. It may rename such a
 * destination, disable it, turn privacy mode on, and delete it.
 */
import {
  type Destination,
  type DestinationFilterRules,
  destinationTypes,
  destinationsPerType
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import { type Caller, namesResource } from "../access/Caller.ts"
import { type Forbidden, restrictedKey } from "../value/failure.ts"
import { type DestinationChange, Destinations } from "../ports/destinations.ts"

/** Of which requests a destination is sent anything, beside its config. */
const reach = ["sampling_rate", "api_key_hashes", "filter_rules", "regions"] as const

/** Whether these rules judge what is in bodies. `null`: nothing is filtered. Rule: observability#filter-rules. */
export const searchesBodies = (rules: DestinationFilterRules | null): boolean =>
  rules !== null &&
  rules.enabled &&
  rules.groups.some((group) => group.rules.some(({ field }) => field === "input" || field === "output"))

/** Whether what a destination is sent tells of bodies: they are in it, or whether it is sent depends on them. */
export const tellsOfBodies = ({ privacy_mode, filter_rules }: Pick<Destination, "privacy_mode" | "filter_rules">) =>
  !privacy_mode || searchesBodies(filter_rules)

/** Whether a change adds to what a destination is told of bodies, or changes where it is told. */
export const changesBodies = (stored: Destination, change: DestinationChange, isOtherConfig: boolean): boolean => {
  const changed = { ...stored, ...change }
  if (!tellsOfBodies(changed)) return false
  return (
    !tellsOfBodies(stored) ||
    (stored.privacy_mode && !changed.privacy_mode) ||
    isOtherConfig ||
    (changed.enabled && !stored.enabled) ||
    reach.some((name) => JSON.stringify(changed[name]) !== JSON.stringify(stored[name]))
  )
}

export const requirePrompts = (
  caller: Caller,
  message = "The destination receives bodies of requests or searches them, and the resources of this key do not name prompts. Send privacy_mode true and filter_rules without input and output, or use another key."
): Effect.Effect<void, Forbidden> =>
  namesResource(caller, "prompts")
    ? Effect.void
    : Effect.fail(restrictedKey("header.authorization", "resources", message))

/** Turning the deliveries of a workspace on enables all its destinations. */
export const requirePromptsToBroadcast = Effect.fnUntraced(function* (caller: Caller, workspace_id: string) {
  const every = { limit: destinationsPerType * destinationTypes.length, offset: 0 }
  const { data } = yield* (yield* Destinations).list(caller.account_id, { workspace_id }, every)
  if (data.some((destination) => destination.enabled && tellsOfBodies(destination)))
    yield* requirePrompts(
      caller,
      "A destination of the workspace receives bodies of requests or searches them, and the resources of this key do not name prompts. Disable the destination, or use another key."
    )
})
