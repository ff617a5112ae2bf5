/** The hash of the key that a data plane names, by the key itself or by its hash. Rule: admissions#admission. */
import type { AskedAdmission, CreateAdmission } from "@gatewarden/contract"
import { Effect } from "effect"
import { invalid } from "../value/failure.ts"
import { Digest } from "../platform/Digest.ts"

interface NamedKey {
  readonly api_key?: string | null | undefined
  readonly api_key_hash?: string | null | undefined
}

const inClear = () =>
  invalid(
    "invalid_request",
    "api_key",
    "api_key is accepted over TLS or on a loopback address: send api_key_hash, its SHA-256 in hexadecimal, or set GATEWARDEN_PUBLIC_URL to the https address of this server"
  )

interface Arrival {
  readonly isConfidential: Effect.Effect<boolean>
}

/** The body with the hash in place of the key, which goes no further. `undefined`: the body names no key. */
export const withKeyHash = Effect.fnUntraced(function* <B extends NamedKey>(
  { api_key, api_key_hash, ...body }: B,
  { isConfidential }: Arrival
) {
  if (api_key == null) return { api_key_hash: api_key_hash ?? undefined, ...body }
  if (!(yield* isConfidential)) return yield* inClear()
  return { api_key_hash: yield* (yield* Digest).sha256Hex(api_key), ...body }
})

/** The same of an admission, which names a key by its schema; no key has the hash of none. */
export const admissionAsked = (body: AskedAdmission, arrival: Arrival) =>
  Effect.map(withKeyHash(body, arrival), ({ api_key_hash = "", ...asked }): CreateAdmission => ({
    api_key_hash,
    ...asked
  }))
