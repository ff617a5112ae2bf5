/**
 * The Effect door: ports, operations and routes, for hosts that compose layers.
 *
 * `layerRoutes(settings)` merges into a host's `HttpRouter`; it needs a store, a vault and a key cache.
 */
import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { KeyCache, makeKeyCache } from "./access/KeyCache.ts"
import { type AppSettings, makeApp } from "./http/App.ts"

export { type Account, Accounts } from "./access/Accounts.ts"
export type { ApiKey, AuthenticatedKey } from "./access/ApiKey.ts"
export { ApiKeys } from "./access/ApiKeys.ts"
export { createAccount, defaultAccountName, ensureDefaultAccount } from "./access/createAccount.ts"
export { KeyCache, makeKeyCache } from "./access/KeyCache.ts"
export { newApiKey } from "./access/newApiKey.ts"
export { OutcomeUnknown, StoreUnavailable } from "./failure.ts"
export { defaultGuardrailName, type GuardrailChange, unrestricted } from "./guardrail/guardrailChange.ts"
export { Guardrails } from "./guardrail/Guardrails.ts"
export { type AppSettings, defaultSettings, makeApp } from "./http/App.ts"
export * from "./idempotency/IdempotencyRecords.ts"
export * from "./limits/RateLimits.ts"
export { layerMemory } from "./memory/memoryStore.ts"
export { Cipher, type CipherFunctions } from "./platform/Cipher.ts"
export { Digest, type DigestFunctions } from "./platform/Digest.ts"
export { Entropy, type EntropySource } from "./platform/Entropy.ts"
export { startInstance } from "./startInstance.ts"
export { StoreHealth } from "./platform/StoreHealth.ts"
export type { Services, StorePorts } from "./ports.ts"
export { formatUsd, parseUsd } from "./usage/money.ts"
export { type Keyring, newKeyring, parseKeyring } from "./vault/Keyring.ts"
export { keyIdOf, layerVault, type SecretPlace, SecretUnreadable, Vault } from "./vault/Vault.ts"
export { Workspaces } from "./workspace/Workspaces.ts"

/** The cache of one instance. */
export const layerKeyCache = Layer.sync(KeyCache, makeKeyCache)

/** Every operation under the base path, and nothing outside it. */
export const layerRoutes = (settings: AppSettings) =>
  HttpRouter.use((router) =>
    Effect.flatMap(makeApp(settings), (app) => router.add("*", `/${settings.basePath.replace(/^\//, "")}/*`, app))
  )
