/**
 * Keeps keys that may not read prompts from sending bodies of requests anywhere.
 *
 * Rule: observability#who-may-send-bodies. A restricted key without `prompts` neither lets a destination receive bodies, nor changes where or of
 * which requests one receives them, nor sends kept ones again. It may rename such a destination, disable it, turn privacy mode on, and delete it.
 */
import type { Destination } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { namesResource } from "../access/restrictions.ts"
import { Forbidden } from "../failure.ts"
import type { DestinationChange } from "./destinationChange.ts"

/** Which bodies a destination receives, beside its config. */
const reach = ["sampling_rate", "api_key_hashes", "filter_rules", "regions"] as const

/** Whether a change adds to the bodies that a destination receives, or changes where it receives them. */
export const changesBodies = (stored: Destination, change: DestinationChange, isOtherConfig: boolean): boolean => {
  const changed = { ...stored, ...change }
  if (changed.privacy_mode) return false
  return (
    stored.privacy_mode ||
    isOtherConfig ||
    (changed.enabled && !stored.enabled) ||
    reach.some((name) => JSON.stringify(changed[name]) !== JSON.stringify(stored[name]))
  )
}

export const requirePrompts = (caller: Caller): Effect.Effect<void, Forbidden> =>
  namesResource(caller, "prompts")
    ? Effect.void
    : Effect.fail(
        new Forbidden({
          reason: "restricted_key",
          issues: [
            {
              path: "header.authorization",
              code: "resources",
              message:
                "The destination receives bodies of requests, and the resources of this key do not name prompts. Send privacy_mode true, or use another key."
            }
          ]
        })
      )
