/** The private providers of accounts. */
import type { PrivateProvider } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"

/** The fields of a provider that may change. */
export type PrivateProviderChange = Partial<Omit<PrivateProvider, "name" | "slug" | "created_at">>

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
