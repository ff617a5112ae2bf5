import type { ModelQuery, Region } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { listModels } from "../model/listModels.ts"
import { OrganizationSettings } from "../ports/workspaces.ts"
import { DecisionCache } from "../policy/DecisionCache.ts"
import { listUserModels } from "./listUserModels.ts"

/**
 * What `GET /models` lists: all models that the account sees, or those that the calling key may use, if the account has set so. A feed of
 * models (`use_rss`) is of all models.
 *
 * Rule: access#organization-settings, models#model-lists.
 */
export const listCatalogModels = Effect.fnUntraced(function* (caller: Caller, query: ModelQuery, region: Region) {
  const { account_id } = caller
  const settings = yield* (yield* DecisionCache).settings.get(
    account_id,
    Effect.flatMap(OrganizationSettings, (port) => port.of(account_id)),
    account_id
  )
  return yield* settings.is_filtered_model_catalog_enabled && !query.use_rss
    ? listUserModels(caller, query, region)
    : listModels(caller, query)
})
