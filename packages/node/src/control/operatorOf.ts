import type { Caller } from "@gatewarden/core/effect"

/** The operator of the installation as the caller of an operation in an account. */
export const operatorOf = (account_id: string, default_workspace_id: string | null = null): Caller => ({
  account_id,
  default_workspace_id,
  kind: "management",
  key_hash: "",
  workspace_id: null,
  user_id: null,
  is_operator: true,
  restrictions: null
})
