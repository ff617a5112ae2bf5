/** Every port over one `SqlClient`, whichever engine is behind it. The schema must be there. */
import {
  Accounts,
  ApiKeys,
  Guardrails,
  IdempotencyRecords,
  RateLimits,
  StoreHealth,
  type StorePorts,
  Workspaces
} from "@gatewarden/core/effect"
import { Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { accounts } from "./Accounts.ts"
import { apiKeys } from "./ApiKeys.ts"
import { guardrails } from "./Guardrails.ts"
import { idempotencyRecords } from "./IdempotencyRecords.ts"
import { rateLimits } from "./RateLimits.ts"
import { storeHealth } from "./StoreHealth.ts"
import { workspaces } from "./Workspaces.ts"

export const layerPorts: Layer.Layer<StorePorts, never, SqlClient.SqlClient> = Layer.mergeAll(
  Layer.effect(Accounts, accounts),
  Layer.effect(ApiKeys, apiKeys),
  Layer.effect(Workspaces, workspaces),
  Layer.effect(Guardrails, guardrails),
  Layer.effect(RateLimits, rateLimits),
  Layer.effect(IdempotencyRecords, idempotencyRecords),
  Layer.effect(StoreHealth, storeHealth)
)
