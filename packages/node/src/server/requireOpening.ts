/**
 * Refuses to start with a keyring that decrypts none of the stored secrets: a wrong keyring would encrypt new secrets beside the old
 * ones, and the fault would show only when a credential is used.
 *
 * Rule: operating#exit-codes, secrets#keyring. Answers kept for `Idempotency-Key` do not count: they are gone within a day.
 */
import { checkSecrets } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { Values } from "../config/variables.ts"
import { failed } from "../failure/Failed.ts"
import { keyringFile } from "../store/openStore.ts"

/** So many secrets of each kind are tried first. Only where the keyring decrypts none of them, all are tried: some may have been encrypted later. */
const tried = 20

const lasting = ["byok_credential.key", "destination.config"] as const

export const requireOpening = Effect.fnUntraced(function* (values: Values) {
  const first = yield* checkSecrets(tried, lasting)
  if (first.opened > 0 || first.unreadable === 0) return
  const { opened, unreadable, foreign_key_ids } = yield* checkSecrets(Infinity, lasting)
  if (opened > 0) return
  const ids = foreign_key_ids.join(", ")
  const place =
    values.GATEWARDEN_KEYRING === undefined
      ? `restore ${keyringFile(values.GATEWARDEN_DATA_DIR)} from a backup, or set GATEWARDEN_KEYRING`
      : "set GATEWARDEN_KEYRING"
  return yield* failed(
    "keyring",
    `The keyring decrypts none of the ${unreadable} stored secrets, which were encrypted by: ${ids}`,
    `${place} to the keyring of that time; to replace its keys put a new one first, and run: gatewarden keyring rotate`
  )
})
