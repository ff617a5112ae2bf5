/**
 * Where the contents of files are kept, by the id of the file.
 *
 * Contents pass in pieces: no adapter but the one that keeps them in memory holds more than a few hundred kB of one. Dies with
 * `FileStorageUnavailable`, or with `StoreUnavailable` where it is the store itself, when it does not answer.
 */
import { Context, type Effect, type Option, type Scope, type Stream } from "effect"

export class FileContents extends Context.Service<
  FileContents,
  {
    /**
     * Keeps a content as a whole, in place of one of the same id, while it arrives. It may be read once this has succeeded, not
     * before. A content that breaks off, or is given up, leaves nothing, unless the storage does not answer any more.
     */
    readonly put: <E>(id: string, content: Stream.Stream<Uint8Array, E>) => Effect.Effect<void, E>
    /** The content from its beginning, in chunks of any size. It may be read once, and as long as the scope lives. */
    readonly get: (id: string) => Effect.Effect<Option.Option<Stream.Stream<Uint8Array>>, never, Scope.Scope>
    /** Removes a content, or what there is of one. One that is not there is as good as removed. */
    readonly remove: (id: string) => Effect.Effect<void>
  }
>()("gatewarden/FileContents") {}

/** Bytes of the pieces in which contents are handed on: few for a file, none that others wait for. */
export const contentPieceSize = 262_144
