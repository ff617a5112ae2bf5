import { type BodyLimits, defaultBodyLimits } from "./BodyLimits.ts"
import { defaultStorageLimits, type StorageLimits } from "../ports/storageQuotas.ts"
import type { RegionPolicy } from "./requestSpan.ts"
import type { DocsWhere } from "./target.ts"
import type { WireProfile } from "./wireProfile.ts"

export interface AppSettings extends DocsWhere {
  readonly wire: WireProfile | "auto"
  /**
   * Whether a request may tell that address. The client writes the Host header, so a server that other machines reach takes the address
   * from `publicUrl` alone.
   */
  readonly addressOfRequest: boolean
  /** Whether the page that gives authorization codes is served. */
  readonly authPage: boolean
  readonly region: RegionPolicy
  /** Milliseconds after which an analytics query is given up with 408. */
  readonly analyticsTimeoutMillis: number
  readonly bodies: BodyLimits
  /** How much accounts and workspaces may store. */
  readonly storage: StorageLimits
  /** True once the process shuts down: new requests get 503. */
  readonly draining: () => boolean
}

export const basePathPattern = /^(?:\/|(?:\/[A-Za-z0-9._~-]+)+)$/

export const defaultSettings: AppSettings = {
  basePath: "/api/v1",
  prefix: "kept",
  wire: "auto",
  addressOfRequest: true,
  authPage: true,
  region: {},
  analyticsTimeoutMillis: 30_000,
  bodies: defaultBodyLimits,
  storage: defaultStorageLimits,
  draining: () => false
}
