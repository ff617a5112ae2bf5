/**
 * The contents of files, by file id.
 *
 * Contents are streamed: no adapter, except the in-memory one, has more than a few hundred kB of a content in memory. Dies with
 * `FileStorageUnavailable`, or with `StoreUnavailable` where it is the store itself, when it does not answer.
 */
import { Context, type Effect, type Option, type Scope, type Stream } from "effect"

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
