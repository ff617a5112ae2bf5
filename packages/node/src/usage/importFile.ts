/**
 * Imports the usage events of one file, and can go on where it was broken off.
 *
 * What is recorded is recorded by the id of its event, so that nothing counts twice whatever is repeated. The state beside the
 * file only spares the repetition: it is written after the store has confirmed what it says.
 */
import { Clock, Effect, Stream } from "effect"
import type { CallStore } from "../control/withStore.ts"
import { Failed } from "../failure/Failed.ts"
import { fileFailure } from "../failure/fileFailure.ts"
import { type Batch, batchRecords, FileChanged, type Reject } from "./batchRecords.ts"
import { type ImportState, readState, statePath, writeState } from "./ImportState.ts"
import type { Input } from "./openInput.ts"
import { readCsv } from "./readCsv.ts"
import { readNdjson } from "./readNdjson.ts"
import { openRejects, sizeOfRejects } from "./RejectsFile.ts"
import { splitLines } from "./splitLines.ts"

export interface ImportSource {
  /** As the operator named it. */
  readonly path: string
  /** What the ids of events without one are made of, beside their line. */
  readonly source: string
  readonly format: "ndjson" | "csv" | "parquet"
  /** Whether CSV has `'` before texts that a spreadsheet would run, as exports have. */
  readonly isCsvSafe: boolean
  readonly rejectsPath: string
  readonly open: () => Promise<Input>
  /** Whether it can be read again from its beginning, and so be resumed. */
  readonly isResumable: boolean
}

export interface ImportTarget {
  readonly account_id: string
  readonly workspace_id: string
  /** Events go there whatever workspace they name. */
  readonly ignore_workspaces?: boolean
}

export interface ImportCounts {
  readonly records: number
  readonly accepted: number
  readonly duplicates: number
  readonly rejected: number
}

export interface ImportProgress extends ImportCounts {
  readonly bytes: number
  readonly size: number | undefined
}

export interface ImportReport extends ImportCounts {
  /** Records that an earlier run had imported. */
  readonly resumed_at: number
  readonly seconds: number
}

interface Listener {
  readonly progress: (progress: ImportProgress) => void
  readonly warn: (line: string) => void
}

/** As much as is imported again after a crash. */
const stateEveryMillis = 500

/** Batches that are read while one is recorded. */
const readAhead = 2

export const importFile = Effect.fnUntraced(function* (
  from: ImportSource,
  target: ImportTarget,
  call: CallStore,
  listener: Listener
) {
  const kept = from.isResumable ? yield* Effect.promise(() => keptState(from, target)) : undefined
  if (kept === undefined) return yield* importFrom(from, target, call, listener, undefined)
  return yield* importFrom(from, target, call, listener, kept).pipe(
    Effect.catchIf(
      (error) => error instanceof FileChanged,
      () => {
        listener.warn(`${from.path} has changed since its import was broken off, and is read from its beginning`)
        return importFrom(from, target, call, listener, undefined)
      }
    )
  )
})

/** The state that an import of the same file to the same place left behind. */
const keptState = async (from: ImportSource, target: ImportTarget): Promise<ImportState | undefined> => {
  const state = await readState(statePath(from.path))
  if (state === undefined) return undefined
  const isSame =
    state.workspace_id === target.workspace_id &&
    state.ignore_workspaces === (target.ignore_workspaces ?? false) &&
    state.source === from.source &&
    state.format === from.format &&
    state.rejects_file === from.rejectsPath
  return isSame && (await sizeOfRejects(from.rejectsPath)) >= state.rejects_bytes ? state : undefined
}

const importFrom = Effect.fnUntraced(function* (
  from: ImportSource,
  target: ImportTarget,
  call: CallStore,
  listener: Listener,
  kept: ImportState | undefined
) {
  const begun = yield* Clock.currentTimeMillis
  const input = yield* recordsOf(from, listener)
  const rejects = yield* Effect.acquireRelease(
    writing(from.rejectsPath, () => openRejects(from.rejectsPath, kept?.rejects_bytes ?? 0)),
    (file) => Effect.promise(file.close)
  )
  let state: ImportState = kept ?? {
    version: 1,
    workspace_id: target.workspace_id,
    ignore_workspaces: target.ignore_workspaces ?? false,
    source: from.source,
    format: from.format,
    rejects_file: from.rejectsPath,
    rejects_bytes: 0,
    records: 0,
    sha256: "",
    accepted: 0,
    duplicates: 0,
    rejected: 0
  }
  let keptAt = begun
  let canKeep = from.isResumable
  const keep = Effect.suspend(() =>
    canKeep && state.records > 0
      ? Effect.andThen(
          writing(from.rejectsPath, rejects.sync),
          writing(statePath(from.path), () => writeState(statePath(from.path), state))
        )
      : Effect.void
  ).pipe(
    Effect.catch(({ message }) =>
      Effect.sync(() => {
        canKeep = false
        listener.warn(`${message}: should this import break off, it begins anew`)
      })
    )
  )
  const record = Effect.fnUntraced(function* (batch: Batch) {
    const { accepted, duplicates, refused } =
      batch.events.length === 0 ? nothing : yield* call("importUsage", { ...target, events: [...batch.events] })
    const rejected = inOrder(batch, refused)
    yield* writing(from.rejectsPath, () => rejects.append(rejected))
    state = {
      ...state,
      ...batch.end,
      rejects_bytes: rejects.size(),
      accepted: state.accepted + accepted,
      duplicates: state.duplicates + duplicates,
      rejected: state.rejected + rejected.length
    }
    listener.progress({ ...countsOf(state), bytes: input.taken(), size: input.size })
    const now = yield* Clock.currentTimeMillis
    if (now - keptAt < stateEveryMillis) return
    keptAt = now
    yield* keep
  })
  yield* Stream.fromAsyncIterable(batchRecords(input.records, from.source, kept), (cause) =>
    asFailure(from.path, cause)
  ).pipe(
    Stream.buffer({ capacity: readAhead }),
    Stream.runForEach(record),
    // However it ends, what is recorded need not be read again.
    Effect.ensuring(keep)
  )
  const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
  return { ...countsOf(state), resumed_at: kept?.records ?? 0, seconds } satisfies ImportReport
}, Effect.scoped)

/** The records of a file, and how far they are read. */
const recordsOf = Effect.fnUntraced(function* (from: ImportSource, { warn }: Listener) {
  if (from.format === "parquet") {
    // Its reader is loaded where a file needs it, and not with every command.
    const { openParquetInput } = yield* Effect.promise(() => import("./readParquet.ts"))
    return yield* Effect.acquireRelease(
      reading(from.path, () => openParquetInput(from.path, warn)),
      ({ close }) => Effect.promise(close)
    )
  }
  const { chunks, ...input } = yield* reading(from.path, from.open)
  const lines = splitLines(chunks)
  return { ...input, records: from.format === "csv" ? readCsv(lines, from.isCsvSafe, warn) : readNdjson(lines) }
})

const nothing = { accepted: 0, duplicates: 0, refused: [] }

const countsOf = ({ records, accepted, duplicates, rejected }: ImportState): ImportCounts => ({
  records,
  accepted,
  duplicates,
  rejected
})

/** What could not be read and what the store refused, by line. */
const inOrder = (
  { records, rejects }: Batch,
  refused: readonly { readonly index: number; readonly message: string }[]
): readonly Reject[] =>
  [
    ...rejects,
    ...refused.flatMap(({ index, message }) => {
      const record = records[index]
      return record === undefined ? [] : [{ line: record.line, reason: message, record }]
    })
  ].sort((a, b) => a.line - b.line)

const asFailure = (path: string, cause: unknown): Failed | FileChanged =>
  cause instanceof Failed || cause instanceof FileChanged
    ? cause
    : fileFailure(`${path} cannot be read to its end`, cause)

const reading = <A>(path: string, read: () => Promise<A>) =>
  Effect.tryPromise({
    try: read,
    catch: (cause) => (cause instanceof Failed ? cause : fileFailure(`${path} cannot be read`, cause))
  })

const writing = <A>(path: string, write: () => Promise<A>) =>
  Effect.tryPromise({
    try: write,
    catch: (cause) => fileFailure(`${path} cannot be written`, cause)
  })
