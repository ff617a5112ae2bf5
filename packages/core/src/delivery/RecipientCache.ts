/**
 * Who receives the usage of each workspace, and whether it keeps bodies, remembered: recording usage asks nothing where nothing changed, and
 * a workspace without either costs a look into a map.
 *
 * A change of a destination or of its workspace removes the entry: at once when this process made it, within two seconds otherwise
 * (Rule: access#changes-take-effect).
 */
import { Context } from "effect"
import type { Changes } from "../ports/changeLog.ts"
import type { FreshnessState } from "../cache/Freshness.ts"
import { bytesHeld } from "../value/bytes.ts"
import { makeValidatedCache, type ValidatedCache } from "../cache/ValidatedCache.ts"
import type { PromptLogging } from "../prompt/promptLogging.ts"
import type { Recipient } from "./selectDestinations.ts"

export interface WorkspaceRecipients {
  readonly destinations: readonly Recipient[]
  /** `null`: the workspace keeps no bodies. */
  readonly logging: PromptLogging | null
}

/** By workspace, of its account. */
export type Recipients = ValidatedCache<WorkspaceRecipients>

/** Empty workspaces, or kibibytes. */
const capacity = 50_000

const kibibytesOf = ({ destinations, logging }: WorkspaceRecipients): number => {
  const ofDestinations = destinations.reduce((sum, { bytes }) => sum + 1 + bytes / 1_024, 0)
  return 1 + ofDestinations + bytesHeld(logging?.key_ids) / 1_024
}

export const makeRecipientCache = (freshness: FreshnessState): Recipients => {
  // An entry weighs what it holds: destinations may be long, and a workspace may have many.
  const cache: Recipients = makeValidatedCache(freshness, capacity, kibibytesOf)
  freshness.onChange((changes: Changes) => {
    if (changes === "everything") return cache.clear()
    for (const { account_id, noun, id, workspace_id } of changes) {
      if (account_id === null) continue
      if (noun === "workspace") cache.forget(id, account_id)
      else if (noun !== "destination") continue
      else if (workspace_id !== null) cache.forget(workspace_id, account_id)
      else cache.forgetWhere((_, { destinations }) => destinations.some((recipient) => recipient.id === id), account_id)
    }
  })
  return cache
}

/** One cache per instance of the product, never per process: two instances share nothing. */
export class RecipientCache extends Context.Service<RecipientCache, Recipients>()("gatewarden/RecipientCache") {}
