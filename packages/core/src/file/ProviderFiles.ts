/**
 * The file APIs of upstream providers, used with a workspace's own key.
 *
 * Rule: files#provider-storage. A host replaces the reference for other addresses or another transport.
 */
import type { FileProvider, StoredFile } from "@gatewarden/contract"
import { Context, type Effect, type Option, type Redacted, type Stream } from "effect"
import type { UpstreamFailed } from "../failure.ts"
import { publicFetch } from "../platform/publicFetch.ts"
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

/** Fails with 502 if the provider does not answer, refuses, or answers something malformed. */
export interface ProviderFileStores {
  readonly upload: (access: ProviderAccess, file: NewFile) => Effect.Effect<StoredFile, UpstreamFailed>
  readonly find: (access: ProviderAccess, id: string) => Effect.Effect<Option.Option<StoredFile>, UpstreamFailed>
  /** False when the provider has no such file. */
  readonly remove: (access: ProviderAccess, id: string) => Effect.Effect<boolean, UpstreamFailed>
}

export const ProviderFiles = Context.Reference<ProviderFileStores>("gatewarden/ProviderFiles", {
  defaultValue: () => makeProviderFiles({ fetch: publicFetch })
})
