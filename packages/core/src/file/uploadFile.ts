import type { QueryOf, uploadFile as declaration } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { BadRequest } from "../failure.ts"
import type { UploadedFile } from "../http/Input.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../platform/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { workspaceNotFound, workspaceOfCaller } from "../workspace/workspaceOfCaller.ts"
import { accessProvider } from "./accessProvider.ts"
import { FileContents } from "./FileContents.ts"
import { fileNameProblem } from "./fileName.ts"
import { type FileFacts, Files } from "./Files.ts"
import { newFileId } from "./newFileId.ts"
import { printedFile } from "./printedFile.ts"
import { ProviderFiles } from "./ProviderFiles.ts"
import { sniffType } from "./sniffType.ts"
import { sweepFiles } from "./sweepFiles.ts"

/** Public API 2.6; decisions 11. The file is shown once all of its content is kept. */
export const uploadFile = operation("uploadFile")(function* (
  caller: Caller,
  { workspace_id: named, provider }: QueryOf<typeof declaration>,
  { filename, bytes }: UploadedFile
) {
  const mime_type = yield* requireUsable(filename, bytes)
  const workspace_id = yield* workspaceOfCaller(caller, named)
  if (provider !== undefined) {
    const access = yield* accessProvider(caller, workspace_id, provider)
    return yield* (yield* ProviderFiles).upload(access, { filename, mime_type, bytes })
  }
  const facts: FileFacts = {
    id: newFileId((yield* Entropy).bytes),
    filename,
    mime_type,
    size_bytes: bytes.length,
    created_at: yield* timestamp
  }
  const files = yield* Files
  if (!(yield* files.reserve(caller.account_id, workspace_id, facts))) return yield* workspaceNotFound()
  yield* (yield* FileContents).put(facts.id, bytes)
  const published = yield* files.publish(caller.account_id, facts.id)
  yield* sweepFiles
  return published ? printedFile(facts) : yield* workspaceNotFound()
})

const unusable = (code: string, message: string) =>
  new BadRequest({ reason: "invalid_file", issues: [{ path: "file", code, message }] })

/** The type of the content; 400 when the file is empty, of a type that is not accepted, or badly named. */
const requireUsable = Effect.fnUntraced(function* (filename: string, bytes: Uint8Array) {
  if (bytes.length === 0) return yield* unusable("empty", "The file is empty")
  const problem = fileNameProblem(filename)
  if (problem !== undefined) return yield* unusable("invalid_filename", problem)
  return sniffType(bytes, filename) ?? (yield* unusable("unsupported_type", "The content is of no accepted type"))
})
