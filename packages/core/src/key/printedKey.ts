import type { Key } from "@gatewarden/contract"
import type { KeyUsage } from "../usage/KeyUsageReader.ts"
import type { ApiKey } from "./ApiKey.ts"
import { keySpending } from "./keySpending.ts"
import { numericKeyId } from "./numericKeyId.ts"

/** An API key as management keys see it. Management keys themselves live in no workspace and are not printed so. */
export const printedKey = (key: ApiKey, usage: KeyUsage): Key => ({
  hash: key.hash,
  numeric_id: numericKeyId(key.hash),
  name: key.name,
  label: key.label,
  workspace_id: key.workspace_id ?? "",
  disabled: key.disabled,
  ...keySpending(key, usage),
  creator_user_id: key.creator_user_id,
  external_user: key.external_user,
  expires_at: key.expires_at,
  created_at: key.created_at,
  updated_at: key.updated_at
})
