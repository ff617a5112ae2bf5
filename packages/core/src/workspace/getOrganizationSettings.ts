import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { OrganizationSettings } from "../ports/workspaces.ts"

/** Rule: access#organization-settings. */
export const getOrganizationSettings = operation("getOrganizationSettings")(function* ({ account_id }: Caller) {
  return yield* (yield* OrganizationSettings).of(account_id)
})
