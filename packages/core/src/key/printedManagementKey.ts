import type { ManagementKey } from "@gatewarden/contract"
import type { ApiKey } from "../ports/keys.ts"

export const printedManagementKey = (key: ApiKey): ManagementKey => ({
  hash: key.hash,
  name: key.name,
  label: key.label,
  restrictions: key.restrictions,
  creator_user_id: key.creator_user_id,
  expires_at: key.expires_at,
  created_at: key.created_at
})
