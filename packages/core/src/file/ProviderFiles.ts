/**
 * The file APIs of upstream providers, used with a workspace's own key.
 *
 * Rule: files#provider-storage. A host replaces the reference for other addresses or another transport.
 */
import type { FileProvider, StoredFile } from "@gatewarden/contract/internal"
import { Context, type Effect, type Option, type Redacted, type Stream } from "effect"
import type { UpstreamFailed } from "../value/failure.ts"
import { publicFetch } from "../platform/Fetch.ts"
import { makeProviderFiles } from "./makeProviderFiles.ts"

/** A provider, and the key for its file API. */
export interface ProviderAccess {
  readonly provider: FileProvider
  readonly key: Redacted.Redacted<string>
}

export interface NewFile {
  readonly filename: string
  readonly mime_type: string
  readonly size_bytes: number
  /** Of that size. */
  readonly content: Stream.Stream<Uint8Array>
}

export interface ProviderFilePage {
  readonly files: readonly StoredFile[]
  readonly has_more: boolean
}

/** Fails with 502 if the provider does not answer, refuses, or answers something malformed. */
export interface ProviderFileStores {
  readonly upload: (access: ProviderAccess, file: NewFile) => Effect.Effect<StoredFile, UpstreamFailed>
  /** The page after a file, in the provider's own order. `undefined`: the provider knows no file of that id. */
  readonly list: (
    access: ProviderAccess,
    page: { readonly after: string | undefined; readonly limit: number }
  ) => Effect.Effect<ProviderFilePage | undefined, UpstreamFailed>
  readonly find: (access: ProviderAccess, id: string) => Effect.Effect<Option.Option<StoredFile>, UpstreamFailed>
  /**
   * The content while it arrives, which fails if the rest does not come: cancel it, or read it to its end. `kept_back`: the provider has
   * the file, and does not give its content.
   */
  readonly content: (
    access: ProviderAccess,
    id: string
  ) => Effect.Effect<ReadableStream<Uint8Array> | "unknown" | "kept_back", UpstreamFailed>
  /** False when the provider has no such file. */
  readonly remove: (access: ProviderAccess, id: string) => Effect.Effect<boolean, UpstreamFailed>
}

export const ProviderFiles = Context.Reference<ProviderFileStores>("gatewarden/ProviderFiles", {
  defaultValue: () => makeProviderFiles({ fetch: publicFetch })
})
