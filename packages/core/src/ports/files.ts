import type { StoredFile } from "@gatewarden/contract"
import { Context, type Effect, type Option, type Scope, type Stream } from "effect"

export type FileFacts = Pick<StoredFile, "id" | "filename" | "mime_type" | "size_bytes" | "created_at">

/** The facts about a file before its content arrives. */
export type ArrivingFile = Omit<FileFacts, keyof ContentFacts>

/** The facts from its content, after all of it has arrived. */
export type ContentFacts = Pick<FileFacts, "mime_type" | "size_bytes">

/** Where a page of a list begins: after this file, which may be gone. */
export type FilePlace = Pick<FileFacts, "id" | "created_at">

/**
 * The rows of files; `FileContents` has their contents.
 *
 * The row and the content cannot change atomically, so a file has states: it is `arriving` while its content is written,
 * `stored` once all of it is there, `leaving` while its content is removed. Only a stored file is shown. An interruption leaves a hidden
 * row, which `takeStale` finds: there is never a shown file without content, nor content without a row.
 */
export class Files extends Context.Service<
  Files,
  {
    /** Inserts an arriving file. False if the workspace does not exist (any more). */
    readonly reserve: (account_id: string, workspace_id: string, file: ArrivingFile) => Effect.Effect<boolean>
    /**
     * Marks an arriving file as stored. `missing`: it is no longer arriving, for example because its workspace was deleted. `full`: the account
     * would keep more than `most_bytes` bytes of files, as `StoredAmounts` counts them.
     */
    readonly publish: (
      account_id: string,
      id: string,
      content: ContentFacts,
      most_bytes: number
    ) => Effect.Effect<"published" | "full" | "missing">
    /** A stored file. */
    readonly find: (account_id: string, workspace_id: string, id: string) => Effect.Effect<Option.Option<FileFacts>>
    /** The first `limit` stored files of a workspace after a place, by `created_at`, then `id`. The cost does not grow with their number. */
    readonly list: (
      account_id: string,
      workspace_id: string,
      page: { readonly after: FilePlace | undefined; readonly limit: number }
    ) => Effect.Effect<readonly FileFacts[]>
    /** Marks a stored file as leaving; one that is leaving already stays so. False if there is neither. */
    readonly withdraw: (account_id: string, workspace_id: string, id: string, now: string) => Effect.Effect<boolean>
    /** Deletes the row of a file whose content is removed. False if another request did so first, or the file is stored. */
    readonly forget: (id: string) => Effect.Effect<boolean>
    /**
     * Files of deleted workspaces, and files that have been arriving or leaving since `before`; at most `limit`. Each counts as changed
     * `now`, so those that were never taken come first, and one whose content cannot be removed keeps none of them waiting.
     */
    readonly takeStale: (before: string, now: string, limit: number) => Effect.Effect<readonly string[]>
  }
>()("gatewarden/Files") {}

/**
 * The contents of files, by file id.
 *
 * Contents are streamed: no adapter, except the in-memory one, has more than a few hundred kB of a content in memory. Dies with
 * `FileStorageUnavailable`, or with `StoreUnavailable` where it is the store itself, when it does not answer.
 */
export class FileContents extends Context.Service<
  FileContents,
  {
    /**
     * Stores a content while it arrives, replacing one of the same id. It can be read only after this has succeeded. An interrupted
     * content leaves nothing behind, unless the storage no longer answers.
     */
    readonly put: <E>(id: string, content: Stream.Stream<Uint8Array, E>) => Effect.Effect<void, E>
    /** The content from its beginning, in chunks of any size. It can be read once, while the scope is open. */
    readonly get: (id: string) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array>>, never, Scope.Scope>
    /** Removes a content, or the part of it that exists. Succeeds for one that does not exist. */
    readonly remove: (id: string) => Effect.Effect<void>
  }
>()("gatewarden/FileContents") {}

/** Bytes of a piece of a content: few pieces for a file, and each too small to block others. */
export const contentPieceSize = 262_144
