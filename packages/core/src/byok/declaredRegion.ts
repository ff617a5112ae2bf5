/**
 * Where the account behind a credential processes requests, as its owner or its key declares.
 *
 * Rule: byok#declared-region, byok#regional-keys.
 */
import type { ByokProvider, Region } from "@gatewarden/contract"
import { Effect, Redacted } from "effect"
import { BadRequest, invalid } from "../value/failure.ts"
import { hasRegionalKeys, keyMaterial } from "./keyMaterial.ts"

/** A region that a credential may be declared for with effect. */
export type LocalRegion = Exclude<Region, "global">

/** `null` and `global` are the same: the credential follows the endpoint. Rule: byok#declared-region. */
export const localRegion = (declared: Region | null): LocalRegion | undefined =>
  declared === null || declared === "global" ? undefined : declared

const withDeclaredRegion: readonly string[] = ["azure"] satisfies readonly ByokProvider[]

const notDeclarable = (message: string) => invalid("region_not_declarable", "declared_region", message)

const unreadableKey = () =>
  new BadRequest({
    reason: "invalid_request",
    issues: [
      {
        path: "key",
        code: "invalid_format",
        message: 'Expected a key, or {"api_key": "…", "region": "…"} with the region global, europe or us'
      }
    ]
  })

const otherRegion = (own: Region | null) =>
  notDeclarable(
    localRegion(own) === undefined
      ? "The key names no region: expected null, or send the key with its region"
      : `Expected ${own}, the region in the key; send the key with another region to change it`
  )

interface Sent {
  /** Undefined: the field was not sent. */
  readonly declared_region: Region | null | undefined
  /** Undefined: the stored key stays. */
  readonly key: Redacted.Redacted<string> | undefined
}

/**
 * The value to store; undefined: what is stored stays. Without a key the region of a key is never written, because another request may
 * replace the key meanwhile.
 */
export const declaredRegion = Effect.fnUntraced(function* (
  provider: string,
  { declared_region: sent, key }: Sent,
  stored: Region | null
) {
  if (!hasRegionalKeys(provider)) {
    if (sent != null && sent !== "global" && !withDeclaredRegion.includes(provider))
      return yield* notDeclarable("Only credentials of azure, and keys of openai and fireworks, have a region")
    return sent
  }
  if (key === undefined) {
    if (sent === undefined || sent === stored) return undefined
    return yield* otherRegion(stored)
  }
  const material = keyMaterial(provider, Redacted.value(key))
  if (material === undefined) return yield* unreadableKey()
  if (sent === undefined) return material.region
  return localRegion(sent) === localRegion(material.region) ? sent : yield* otherRegion(material.region)
})
