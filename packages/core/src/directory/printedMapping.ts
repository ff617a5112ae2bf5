import type { ScimGroupMapping } from "@gatewarden/contract"
import type { GroupMapping } from "../ports/directory.ts"

/** A mapping as the public API shows it: the account is the organization. */
export const printedMapping = (
  account_id: string,
  { id, group_id, workspace_id, role, created_at, updated_at }: GroupMapping
): ScimGroupMapping => ({
  id,
  organization_id: account_id,
  scim_group_id: group_id,
  workspace_id,
  role,
  created_at,
  updated_at
})
