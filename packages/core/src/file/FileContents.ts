/**
 * Where the contents of files are kept, by the id of the file.
 *
 * Dies with `FileStorageUnavailable`, or with `StoreUnavailable` where it is the store itself, when it does not answer.
 */
import { Context, type Effect, type Option } from "effect"

export class FileContents extends Context.Service<
  FileContents,
  {
    /** Keeps a content as a whole, in place of one of the same id. It may be read once this has succeeded, not before. */
    readonly put: (id: string, bytes: Uint8Array) => Effect.Effect<void>
    readonly get: (id: string) => Effect.Effect<Option.Option<Uint8Array>>
    /** Removes a content, or what there is of one. One that is not there is as good as removed. */
    readonly remove: (id: string) => Effect.Effect<void>
  }
>()("gatewarden/FileContents") {}
