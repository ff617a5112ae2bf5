import type { getFileContent as declaration, QueryOf } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest, notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { Files } from "../ports/files.ts"
import { ProviderFiles } from "./ProviderFiles.ts"

/** Rule: files#downloads. The content is passed on while it arrives. */
export const getFileContent = operation("getFileContent")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof declaration>
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  if (provider === undefined) {
    const found = yield* (yield* Files).find(caller.account_id, workspace_id, id)
    return yield* Option.isSome(found) ? keptBack() : notFound()
  }
  const content = yield* (yield* ProviderFiles).content(yield* accessProvider(caller, workspace_id, provider), id)
  if (content === "unknown") return yield* notFound()
  return content === "kept_back" ? yield* keptBack() : content
})

const keptBack = () =>
  new BadRequest({
    reason: "file_not_downloadable",
    issues: [{ path: "file_id", code: "file_not_downloadable", message: "This file cannot be downloaded" }]
  })
