import { keysPerPage, type QueryOf, type listKeys as declaration } from "@gatewarden/contract"
import { operation } from "../tracing/operation.ts"
import { usageOfKeys } from "./usageOfKeys.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { ApiKeys } from "../ports/keys.ts"
import type { Caller } from "../access/Caller.ts"
import { printedKey } from "./printedKey.ts"

/** The keys of a workspace, expired ones too, with what they have spent. Rule: access#managing-keys. */
export const listKeys = operation("listKeys")(function* (
  caller: Caller,
  { workspace_id: named, include_disabled, offset }: QueryOf<typeof declaration>
) {
  const workspace_id = yield* resolveWorkspace(caller, named, "query.workspace_id")
  const filter = { kind: "normal", workspace_id, ...(include_disabled ? {} : { disabled: false }) } as const
  const keys = yield* (yield* ApiKeys).list(caller.account_id, filter, { limit: keysPerPage, offset })
  const usage = yield* usageOfKeys(
    caller.account_id,
    keys.map(({ hash }) => hash)
  )
  return { data: keys.map((key) => printedKey(key, usage(key.hash))) }
})
