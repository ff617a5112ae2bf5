import type { UpdateKey } from "@gatewarden/contract"
import { sentFields } from "../value/sentFields.ts"
import type { ApiKey } from "./ApiKey.ts"

/** Only the fields that a request sets; absent ones stay. */
export type KeyChange = Partial<Pick<ApiKey, "name" | "disabled" | "limit" | "limit_reset" | "include_byok_in_limit">>

/** Rule: access#managing-keys, requests#patches. */
export const keyChange = (fields: UpdateKey): KeyChange =>
  sentFields(fields, ["limit", "limit_reset"], ["name", "disabled", "include_byok_in_limit"])
