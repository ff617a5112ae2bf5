import type { UpdateOrganizationSettings } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { OrganizationSettings } from "../ports/workspaces.ts"

/** Rule: access#organization-settings. */
export const updateOrganizationSettings = operation("updateOrganizationSettings")(function* (
  { account_id }: Caller,
  fields: UpdateOrganizationSettings
) {
  return yield* (yield* OrganizationSettings).update(account_id, fields)
})
