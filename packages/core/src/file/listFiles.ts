import type { FileList, listFiles as declaration, QueryOf, StoredFile } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { formatInstant } from "../value/timestamp.ts"
import { workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { type FilePlace, Files } from "../ports/files.ts"
import { printedFile } from "./printedFile.ts"
import { ProviderFiles } from "./ProviderFiles.ts"

type Query = QueryOf<typeof declaration>

/** Rule: files#lists. A page is found by the place where it begins, so it costs the same wherever it is. */
export const listFiles = operation("listFiles")(function* (caller: Caller, query: Query) {
  const workspace_id = yield* workspaceOfCaller(caller, query.workspace_id)
  const { provider, limit } = query
  if (provider === undefined) {
    const after = yield* placeOf(caller.account_id, workspace_id, query)
    // One more than is asked for shows whether there are more.
    const found = yield* (yield* Files).list(caller.account_id, workspace_id, { after, limit: limit + 1 })
    const page = found.slice(0, limit)
    return pageOf(page.map(printedFile), found.length > limit, cursorOf(page.at(-1)))
  }
  const access = yield* accessProvider(caller, workspace_id, provider)
  const after = query.cursor ?? query.after ?? query.after_id
  const page = yield* (yield* ProviderFiles).list(access, { after, limit })
  if (page === undefined) return yield* unknownPlace(query)
  return pageOf(page.files, page.has_more, page.files.at(-1)?.id ?? null)
})

const pageOf = (data: readonly StoredFile[], has_more: boolean, cursor: string | null): FileList => ({
  data: [...data],
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more,
  cursor: has_more ? cursor : null
})

/** The cursor has all of a file's place, so that it outlives the file. */
const cursorOf = (last: FilePlace | undefined): string | null =>
  last === undefined ? null : `${Date.parse(last.created_at).toString(36)}_${last.id}`

/** The id of a file is no cursor: eight digits are the times since 1972. */
const readCursor = (cursor: string): FilePlace | undefined => {
  const [, time = "", id = ""] = /^([0-9a-z]{8,9})_(.+)$/.exec(cursor) ?? []
  // Nine digits end in the year 5188, so every year has four.
  return time === "" ? undefined : { id, created_at: formatInstant(Number.parseInt(time, 36)) }
}

const placeOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string, query: Query) {
  if (query.cursor !== undefined) return readCursor(query.cursor) ?? (yield* unknownPlace(query))
  const id = query.after ?? query.after_id
  if (id === undefined) return undefined
  const found = yield* (yield* Files).find(account_id, workspace_id, id)
  return Option.isSome(found) ? found.value : yield* unknownPlace(query)
})

const unknownPlace = ({ cursor, after }: Query) => {
  const path = cursor !== undefined ? "query.cursor" : after !== undefined ? "query.after" : "query.after_id"
  const message = cursor === undefined ? "No file of this workspace has this id" : "Expected `cursor` of an answer"
  return new BadRequest({ reason: "invalid_request", issues: [{ path, code: "unknown_file", message }] })
}
