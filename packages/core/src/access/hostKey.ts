import type { AuthenticatedKey } from "../ports/keys.ts"
import type { Caller } from "./Caller.ts"

/** The record that stands for a key if a host authenticated its user: named after the user, without limit or end. */
export const hostKey = (caller: Omit<Caller, "host">): AuthenticatedKey => ({
  hash: caller.key_hash,
  account_id: caller.account_id,
  kind: caller.kind,
  workspace_id: caller.workspace_id,
  default_workspace_id: caller.default_workspace_id,
  is_operator: caller.is_operator,
  is_suspended: false,
  user_id: caller.user_id,
  external_user: null,
  creator_user_id: caller.user_id,
  issued_by: null,
  name: caller.user_id ?? "",
  label: caller.user_id ?? "",
  disabled: false,
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
  restrictions: caller.restrictions,
  expires_at: null,
  revoked_at: null,
  created_at: new Date(0).toISOString(),
  updated_at: null,
  secrets: []
})
