/** An API key as it is stored: everything but the key itself, of which only the hash is kept (decisions 2). */
export interface ApiKey {
  readonly hash: string
  readonly account_id: string
  readonly kind: "management" | "normal"
  /** `null` exactly for management keys. */
  readonly workspace_id: string | null
  readonly user_id: string | null
  readonly external_user: string | null
  readonly creator_user_id: string | null
  readonly name: string
  /** Masked rendering, computed once when the key was made. */
  readonly label: string
  readonly disabled: boolean
  /** Spending limit in USD. */
  readonly limit: number | null
  readonly limit_reset: "daily" | "weekly" | "monthly" | null
  readonly include_byok_in_limit: boolean
  readonly expires_at: string | null
  readonly created_at: string
  readonly updated_at: string | null
}

/** A key together with what authentication needs of its account. */
export interface AuthenticatedKey extends ApiKey {
  /** The account's default workspace, `null` once it was deleted. */
  readonly default_workspace_id: string | null
}
