import type { FileProvider, QueryOf, uploadFile as declaration } from "@gatewarden/contract"
import { Cause, Effect, Option, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest, FileStorageUnavailable } from "../value/failure.ts"
import type { UploadedFile } from "./UploadedFile.ts"
import { noRoom, requireRoom, StorageSettings } from "../limits/requireRoom.ts"
import { Entropy, type EntropySource } from "../platform/Entropy.ts"
import { base62 } from "../value/base62.ts"
import { inPieces } from "../value/inPieces.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceNotFound, workspaceOfCaller } from "../access/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { type ArrivingFile, type ContentFacts, FileContents, Files, contentPieceSize } from "../ports/files.ts"
import { fileNameProblem } from "./fileName.ts"
import { printedFile } from "./printedFile.ts"
import { type ProviderAccess, ProviderFiles } from "./ProviderFiles.ts"
import { Sniffer } from "./sniffType.ts"
import { sweepFiles } from "./sweepFiles.ts"

const idLength = 24

/** `gw_file_` and 24 base62 characters, 142 bits of randomness: ids cannot be guessed. */
const newFileId = (bytes: EntropySource["bytes"]): string => `gw_file_${base62(idLength, bytes)}`

/**
 * Rule: files#uploads, requests#bodies-in-flight. Streams a file to its storage, and shows it after all of its content is stored. An
 * interrupted or refused file is removed at once, or by `sweepFiles` if that fails.
 */
export const uploadFile = operation("uploadFile")(function* (
  caller: Caller,
  { workspace_id: named, provider }: QueryOf<typeof declaration>,
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
  const facts = yield* keep(file.id, inspected)
  if (access !== undefined) return yield* Effect.ensuring(handOver(access, file, facts), forget(file.id))
  // The size is known only after all of it has arrived.
  const { file_bytes_per_account } = yield* StorageSettings
  const outcome = yield* (yield* Files).publish(caller.account_id, file.id, facts, file_bytes_per_account)
  if (outcome === "full") {
    yield* forget(file.id)
    return yield* noRoom("file_bytes_per_account", caller)
  }
  yield* sweepFiles
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
    yield* requireRoom("files_per_workspace", { account_id: caller.account_id, workspace_id })
    yield* requireRoom("file_bytes_per_account", caller)
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

const keep = (id: string, { pieces, facts }: Inspected) =>
  Effect.flatMap(FileContents, (contents) => contents.put(id, pieces)).pipe(
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
