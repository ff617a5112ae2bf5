import { uuid } from "@gatewarden/contract"
import type { Caller } from "./Caller.ts"

/**
 * Whether an API key names, in the query, one workspace that is not its own; whether that workspace exists or not. The check of the
 * query refuses a malformed or repeated name.
 */
export const namesForeignWorkspace = (caller: Caller, search: string): boolean => {
  if (caller.workspace_id === null || !search.includes("workspace_id")) return false
  const named = new URLSearchParams(search).getAll("workspace_id")
  const parsed = uuid.safeParse(named[0])
  return named.length === 1 && parsed.success && parsed.data !== caller.workspace_id
}
