import type { deleteFile as declaration, QueryOf } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { FileContents, Files } from "../ports/files.ts"
import { ProviderFiles } from "./ProviderFiles.ts"
import { sweepFiles } from "./sweepFiles.ts"

/**
 * Rule: files#deleting-a-file. Hides the file, then removes its content, then deletes its row. After any failure the file stays hidden,
 * and repeating the deletion continues it. Of concurrent deletions exactly one succeeds.
 */
export const deleteFile = operation("deleteFile")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof declaration>
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const removed =
    provider === undefined
      ? yield* removeStored(caller.account_id, workspace_id, id)
      : yield* (yield* ProviderFiles).remove(yield* accessProvider(caller, workspace_id, provider), id)
  return removed ? { id, type: "file_deleted" as const } : yield* notFound()
})

const removeStored = Effect.fnUntraced(function* (account_id: string, workspace_id: string, id: string) {
  const files = yield* Files
  if (!(yield* files.withdraw(account_id, workspace_id, id, yield* timestamp))) return false
  yield* (yield* FileContents).remove(id)
  const forgotten = yield* files.forget(id)
  yield* sweepFiles
  return forgotten
})
