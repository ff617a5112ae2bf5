import { type KeySecret, mostLiveSecrets, type StoredSecret } from "../../ports/keys.ts"
import { onSweep, type Sweeps } from "./sweeps.ts"
import { rotatedSecrets } from "../../access/secretsOfKey.ts"

/** The secrets of keys that were rotated. */
export class KeySecretTable {
  /** By key, the oldest first. */
  readonly #secrets = new Map<string, readonly StoredSecret[]>()
  /** By the hash of a secret, that of its key. */
  readonly #keys = new Map<string, string>()

  constructor(sweeps: Sweeps) {
    onSweep(sweeps, "key_secrets", (before, atMost) => {
      let swept = 0
      for (const [key_hash, secrets] of this.#secrets) {
        if (swept >= atMost) break
        const kept = secrets.filter(({ ends_at }) => {
          const isSwept = ends_at !== null && ends_at < before && swept < atMost
          if (isSwept) swept++
          return !isSwept
        })
        if (kept.length < secrets.length) this.#put(key_hash, kept)
      }
      return swept
    })
  }

  /** The hash of the key with this secret; a hash of no secret is a key's own, if anything. */
  keyOf(hash: string): string {
    return this.#keys.get(hash) ?? hash
  }

  has(secret_hash: string): boolean {
    return this.#keys.has(secret_hash)
  }

  /** Those that may open the key; empty if it was never rotated. */
  latestOf(key_hash: string, now: number): readonly KeySecret[] {
    const latest = (this.#secrets.get(key_hash) ?? []).slice(-mostLiveSecrets)
    return latest.map((secret) => ({ ...secret, has_ended: secret.ends_at !== null && secret.ends_at <= now }))
  }

  rotate(key_hash: string, secret_hash: string, now: number, overlap_ends_at: number): void {
    const known = this.#secrets.get(key_hash) ?? [{ hash: key_hash, ends_at: null }]
    this.#put(key_hash, rotatedSecrets(known, secret_hash, now, overlap_ends_at))
  }

  deleteKey(key_hash: string): void {
    this.#put(key_hash, [])
    this.#secrets.delete(key_hash)
  }

  #put(key_hash: string, secrets: readonly StoredSecret[]): void {
    for (const { hash } of this.#secrets.get(key_hash) ?? []) this.#keys.delete(hash)
    for (const { hash } of secrets) this.#keys.set(hash, key_hash)
    this.#secrets.set(key_hash, secrets)
  }
}
