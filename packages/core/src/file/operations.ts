import type {
  FileList,
  FileProvider,
  QueryOf,
  StoredFile,
  deleteFile as deleteFileDeclaration,
  getFile as getFileDeclaration,
  getFileContent as getFileContentDeclaration,
  listFiles as listFilesDeclaration,
  uploadFile as uploadFileDeclaration
} from "@gatewarden/contract/internal"
import { Cause, Context, Effect, Option, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { workspaceNotFound, workspaceOfCaller } from "../access/workspaceOfRequest.ts"
import { noRoom, requireQuota, usableQuota } from "../limits/requireQuota.ts"
import { Entropy, type EntropySource } from "../platform/Entropy.ts"
import {
  type ArrivingFile,
  type ContentFacts,
  FileContents,
  type FilePlace,
  Files,
  contentPieceSize
} from "../ports/files.ts"
import { operation } from "../tracing/operation.ts"
import { makeWaitingTurns } from "../value/Turns.ts"
import { inPieces } from "../value/bytes.ts"
import { formatInstant, timestamp } from "../value/calendar.ts"
import { base62 } from "../value/text.ts"
import { BadRequest, FileStorageUnavailable, notFound } from "../value/failure.ts"
import { type ProviderAccess, ProviderFiles } from "./ProviderFiles.ts"
import { type UploadedFile, fileNameProblem, printedFile } from "./file.ts"
import { Sniffer } from "./fileTypes.ts"
import { accessProvider } from "./makeProviderFiles.ts"

/**
 * Rule: files#deleting-a-file. Hides the file, then removes its content, then deletes its row. After any failure the file stays hidden,
 * and repeating the deletion continues it. Of concurrent deletions exactly one succeeds.
 */
export const deleteFile = operation("deleteFile")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof deleteFileDeclaration>
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
  return yield* files.forget(id)
})

/** Rule: files#who-may-use-files. */
export const getFile = operation("getFile")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof getFileDeclaration>
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const found =
    provider === undefined
      ? Option.map(yield* (yield* Files).find(caller.account_id, workspace_id, id), printedFile)
      : yield* (yield* ProviderFiles).find(yield* accessProvider(caller, workspace_id, provider), id)
  return Option.isSome(found) ? found.value : yield* notFound()
})

/** Rule: files#downloads. The content is passed on while it arrives. */
export const getFileContent = operation("getFileContent")(function* (
  caller: Caller,
  id: string,
  { workspace_id: named, provider }: QueryOf<typeof getFileContentDeclaration>
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

type Query = QueryOf<typeof listFilesDeclaration>

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

const idLength = 24

/** `gw_file_` and 24 base62 characters, 142 bits of randomness: ids cannot be guessed. */
const newFileId = (bytes: EntropySource["bytes"]): string => `gw_file_${base62(idLength, bytes)}`

/**
 * Rule: files#uploads, requests#bodies-in-flight. Streams a file to its storage, and shows it after all of its content is stored. An
 * interrupted or refused file is removed at once, or by `sweepStaleFiles` if that fails.
 */
export const uploadFile = operation("uploadFile")(function* (
  caller: Caller,
  { workspace_id: named, provider }: QueryOf<typeof uploadFileDeclaration>,
  { filename, content }: UploadedFile
) {
  const problem = fileNameProblem(filename)
  if (problem !== undefined) return yield* unusable("invalid_filename", problem)
  const inspected = inspect(filename, content)
  const file: ArrivingFile = { id: newFileId((yield* Entropy).bytes), filename, created_at: yield* timestamp }
  // An invalid file (400) takes precedence over a missing workspace or credential (404) (Rule: files#uploads).
  const access = yield* Effect.tapError(prepare(caller, named, provider, file), () =>
    Effect.andThen(Stream.runDrain(inspected.pieces), inspected.facts)
  )
  const facts = yield* keep(caller.account_id, file.id, inspected)
  if (access !== undefined) return yield* Effect.ensuring(handOver(access, file, facts), forget(file.id))
  // The size is known only after all of it has arrived.
  const most_bytes = yield* usableQuota("file_bytes_per_account", caller)
  const outcome = yield* (yield* Files).publish(caller.account_id, file.id, facts, most_bytes)
  if (outcome === "full") {
    yield* forget(file.id)
    return yield* noRoom("file_bytes_per_account", caller)
  }
  return outcome === "published" ? printedFile({ ...file, ...facts }) : yield* workspaceNotFound()
})

/** Determines the storage and inserts the arriving file. A provider's file is stored here until its type is known. */
const prepare = Effect.fnUntraced(function* (
  caller: Caller,
  named: string | undefined,
  provider: FileProvider | undefined,
  file: ArrivingFile
) {
  const workspace_id = yield* workspaceOfCaller(caller, named)
  const access = provider && (yield* accessProvider(caller, workspace_id, provider))
  if (access === undefined) {
    yield* requireQuota("files_per_workspace", { ...caller, workspace_id })
    yield* requireQuota("file_bytes_per_account", caller)
  }
  if (!(yield* (yield* Files).reserve(caller.account_id, workspace_id, file))) return yield* workspaceNotFound()
  return access
})

type Inspected = ReturnType<typeof inspect>

/** `facts`: type and size of the content, after all pieces; 400 if it is empty or its type is not accepted. */
const inspect = (filename: string, content: UploadedFile["content"]) => {
  const sniffer = new Sniffer(filename)
  const pieces = Stream.map(inPieces(contentPieceSize)(content), (piece) => {
    sniffer.push(piece)
    return piece
  })
  const facts = Effect.suspend((): Effect.Effect<ContentFacts, BadRequest> => {
    if (sniffer.size === 0) return unusable("empty", "The file is empty")
    const mime_type = sniffer.type()
    return mime_type === undefined
      ? unusable("unsupported_type", "The content is of no accepted type")
      : Effect.succeed({ mime_type, size_bytes: sniffer.size })
  })
  return { pieces, facts }
}

const unusable = (code: string, message: string) =>
  Effect.fail(new BadRequest({ reason: "invalid_file", issues: [{ path: "file", code, message }] }))

/** Pieces of an account that are stored at once: each takes the time of some short requests. */
const storedOfAccount = 2

const StoringTurns = Context.Reference("gatewarden/StoringTurns", {
  defaultValue: () => makeWaitingTurns(storedOfAccount)
})

/** Each piece in its turn, which ends when the next one is asked for. */
const inTurns = (account_id: string, pieces: Inspected["pieces"]): Inspected["pieces"] =>
  Stream.unwrap(
    Effect.map(StoringTurns, ({ turnOf }) =>
      Stream.flatMap(pieces, (piece) => {
        const { come, end } = turnOf(account_id)
        return Stream.ensuring(Stream.fromEffect(Effect.as(come, piece)), end)
      })
    )
  )

const keep = (account_id: string, id: string, { pieces, facts }: Inspected) =>
  Effect.flatMap(FileContents, (contents) => contents.put(id, inTurns(account_id, pieces))).pipe(
    Effect.andThen(facts),
    Effect.onError((cause) => (isUnanswered(cause) ? removeContent(id) : forget(id)))
  )

/** Whether the storage may have got a content without saying so. It may even write it later than it is told to remove it. */
const isUnanswered = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof FileStorageUnavailable)

/** The row stays, so that the sweep looks once more. */
const removeContent = (id: string) =>
  Effect.ignoreCause(Effect.flatMap(FileContents, (contents) => contents.remove(id)))

/** Removes a hidden file. If the storage does not answer, the row stays, so that the sweep finds it. */
const forget = (id: string) =>
  Effect.gen(function* () {
    yield* (yield* FileContents).remove(id)
    yield* (yield* Files).forget(id)
  }).pipe(Effect.ignoreCause)

/** Sends the stored content to the provider. */
const handOver = Effect.fnUntraced(function* (
  access: ProviderAccess,
  { id, filename }: ArrivingFile,
  facts: ContentFacts
) {
  const content = yield* (yield* FileContents).get(id)
  if (Option.isNone(content)) return yield* Effect.die(new FileStorageUnavailable({ cause: "the content is gone" }))
  return yield* (yield* ProviderFiles).upload(access, { filename, ...facts, content: content.value })
}, Effect.scoped)
