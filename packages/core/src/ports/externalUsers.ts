/** The external users that accounts have registered. Whether one is active decides no request. */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"

/** A registration as it is kept: its id names it where the name of a person must not. */
export interface StoredExternalUser {
  readonly id: string
  readonly external_user: string
  readonly is_active: boolean
  readonly created_at: string
  readonly updated_at: string
}

export interface ExternalUserFilter {
  readonly external_user?: string | undefined
  readonly include_inactive: boolean
}

export class ExternalUsers extends Context.Service<
  ExternalUsers,
  {
    /** False when the account has registered the name. `ApiKeys.insert` registers, too. */
    readonly insert: (account_id: string, row: StoredExternalUser) => Effect.Effect<boolean>
    readonly find: (account_id: string, external_user: string) => Effect.Effect<Option.Option<StoredExternalUser>>
    /** Oldest first, then by id. */
    readonly list: (
      account_id: string,
      filter: ExternalUserFilter,
      page: PageRequest
    ) => Effect.Effect<Page<StoredExternalUser>>
    /** A registration that is so already stays as it is. */
    readonly update: (
      account_id: string,
      external_user: string,
      is_active: boolean,
      now: string
    ) => Effect.Effect<Option.Option<StoredExternalUser>>
  }
>()("gatewarden/ExternalUsers") {}
