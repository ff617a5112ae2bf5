/**
 * What is remembered of files; their contents are kept elsewhere (`FileContents`).
 *
 * Two places cannot change at once, so a file goes through states here: it is `arriving` while its content is written,
 * `stored` once all of it is there, `leaving` while its content is removed. Only a stored file is shown. Whatever breaks off in
 * between leaves a row that is not shown and that `stale` finds: never a file without content, never content without a row.
 */
import type { StoredFile } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"

export type FileFacts = Pick<StoredFile, "id" | "filename" | "mime_type" | "size_bytes" | "created_at">

/** What is known of a file before its content. */
export type ArrivingFile = Omit<FileFacts, keyof ContentFacts>

/** What its content tells once all of it has passed. */
export type ContentFacts = Pick<FileFacts, "mime_type" | "size_bytes">

export class Files extends Context.Service<
  Files,
  {
    /** Notes a file that is arriving. False when the workspace does not exist (any more). */
    readonly reserve: (account_id: string, workspace_id: string, file: ArrivingFile) => Effect.Effect<boolean>
    /** The content is there. False when the file is not arriving any more, as when its workspace was deleted meanwhile. */
    readonly publish: (account_id: string, id: string, content: ContentFacts) => Effect.Effect<boolean>
    /** A stored file. */
    readonly find: (account_id: string, workspace_id: string, id: string) => Effect.Effect<Option.Option<FileFacts>>
    /** A stored file is leaving from now on; one that is leaving already stays so. False when there is neither. */
    readonly withdraw: (account_id: string, workspace_id: string, id: string, now: string) => Effect.Effect<boolean>
    /** Forgets a file whose content is gone. False when another request did so first, or the file is stored. */
    readonly forget: (id: string) => Effect.Effect<boolean>
    /** Files whose workspace is gone, and those that have been neither stored nor shown since `before`; at most `limit`. */
    readonly stale: (before: string, limit: number) => Effect.Effect<readonly string[]>
  }
>()("gatewarden/Files") {}
