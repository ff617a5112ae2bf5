/** Everything that the core needs of a store, in one place. A store adapter fills every one of these. */
import type { Accounts } from "./access/Accounts.ts"
import type { ApiKeys } from "./access/ApiKeys.ts"
import type { KeyCache } from "./access/KeyCache.ts"
import type { Guardrails } from "./guardrail/Guardrails.ts"
import type { IdempotencyRecords } from "./idempotency/IdempotencyRecords.ts"
import type { RateLimits } from "./limits/RateLimits.ts"
import type { StoreHealth } from "./platform/StoreHealth.ts"
import type { Vault } from "./vault/Vault.ts"
import type { Workspaces } from "./workspace/Workspaces.ts"

/** The ports of a store. */
export type StorePorts = Accounts | ApiKeys | Workspaces | Guardrails | RateLimits | IdempotencyRecords | StoreHealth

/** What operations may ask for: the store, and what an instance holds for itself. */
export type Services = StorePorts | KeyCache | Vault
