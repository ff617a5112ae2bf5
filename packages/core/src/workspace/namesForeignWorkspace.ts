import { uuid } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"

/**
 * Whether a normal key names, in the query, one workspace that is not its own; whether that one exists makes no difference.
 * A name that is malformed or given twice is for the check of the query.
 */
export const namesForeignWorkspace = (caller: Caller, search: string): boolean => {
  if (caller.workspace_id === null || !search.includes("workspace_id")) return false
  const named = new URLSearchParams(search).getAll("workspace_id")
  const parsed = uuid.safeParse(named[0])
  return named.length === 1 && parsed.success && parsed.data !== caller.workspace_id
}
