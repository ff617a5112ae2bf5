import type {
  PrivateEndpointPricing,
  PrivateEndpointStatus,
  PrivateProvider,
  Region
} from "@gatewarden/contract/internal"
import { Context, type Effect, type Option } from "effect"

export interface StoredPrivateEndpoint {
  readonly id: string
  readonly model_permaslug: string
  readonly provider_slug: string
  readonly provider_name: string
  readonly upstream_model_id: string
  /** `null`: that of its private provider. */
  readonly base_url: string | null
  readonly declared_region: Region | null
  readonly declared_zdr: boolean | null
  readonly pricing: PrivateEndpointPricing
  readonly status: PrivateEndpointStatus
  /** Which deployment the last validation passed for; `null`: it did not pass, or there was none. */
  readonly validated: string | null
  readonly created_at: string
}

export type PrivateEndpointChange = Partial<
  Omit<StoredPrivateEndpoint, "id" | "model_permaslug" | "provider_slug" | "provider_name" | "created_at">
>

/** What the stored endpoint must be, so that of two changes at once the second is judged by what the first left. */
export interface PrivateEndpointGuard {
  readonly status?: readonly PrivateEndpointStatus[]
  /** What `validated` must be. */
  readonly validated?: string
  /** The deployment that a change of `validated` is about. */
  readonly deployment?: Pick<StoredPrivateEndpoint, "base_url" | "upstream_model_id">
}

/** The private endpoints of accounts. The catalog shows the active ones among the endpoints of their models (`ModelCatalog`). */
export class PrivateEndpoints extends Context.Service<
  PrivateEndpoints,
  {
    /** `full`: the account has `limit` of them. `missing`: its private provider (`under`) is gone. */
    readonly insert: (
      account_id: string,
      endpoint: StoredPrivateEndpoint,
      how: { readonly limit: number; readonly under: string | undefined }
    ) => Effect.Effect<"inserted" | "full" | "missing">
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<StoredPrivateEndpoint>>
    /** By creation, then by id. */
    readonly list: (account_id: string) => Effect.Effect<readonly StoredPrivateEndpoint[]>
    /** `refused`: the stored endpoint is not what the guard asks for, and nothing was written. */
    readonly update: (
      account_id: string,
      id: string,
      change: PrivateEndpointChange,
      guard: PrivateEndpointGuard
    ) => Effect.Effect<StoredPrivateEndpoint | "refused" | "missing">
    /** `refused`: the stored endpoint is not what the guard asks for, and nothing was removed. */
    readonly remove: (
      account_id: string,
      id: string,
      guard: PrivateEndpointGuard
    ) => Effect.Effect<"removed" | "refused" | "missing">
  }
>()("gatewarden/PrivateEndpoints") {}

/** The fields of a provider that may change. */
export type PrivateProviderChange = Partial<Omit<PrivateProvider, "name" | "slug" | "created_at">>

/** The private providers of accounts. */
export class PrivateProviders extends Context.Service<
  PrivateProviders,
  {
    /** `taken`: the account has one of this slug. `full`: it has `limit` of them. */
    readonly insert: (
      account_id: string,
      provider: PrivateProvider,
      limit: number
    ) => Effect.Effect<"inserted" | "taken" | "full">
    readonly find: (account_id: string, slug: string) => Effect.Effect<Option.Option<PrivateProvider>>
    /** By creation, then by slug. */
    readonly list: (account_id: string) => Effect.Effect<readonly PrivateProvider[]>
    readonly update: (
      account_id: string,
      slug: string,
      change: PrivateProviderChange
    ) => Effect.Effect<Option.Option<PrivateProvider>>
    /** `used`: a private endpoint runs under it. */
    readonly remove: (account_id: string, slug: string) => Effect.Effect<"removed" | "used" | "missing">
  }
>()("gatewarden/PrivateProviders") {}
