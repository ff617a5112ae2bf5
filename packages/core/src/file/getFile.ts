import type { getFile as declaration, QueryOf } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { Files } from "../ports/files.ts"
import { printedFile } from "./printedFile.ts"
import { ProviderFiles } from "./ProviderFiles.ts"

/** Rule: files#who-may-use-files. */
export const getFile = operation("getFile")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof declaration>
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found =
    provider === undefined
      ? Option.map(yield* (yield* Files).find(caller.account_id, workspace_id, id), printedFile)
      : yield* (yield* ProviderFiles).find(yield* accessProvider(caller, workspace_id, provider), id)
  return Option.isSome(found) ? found.value : yield* notFound()
})
