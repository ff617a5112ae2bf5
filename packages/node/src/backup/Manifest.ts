/** What a backup says of itself: `manifest.json` in its directory. */
import { Vault } from "@gatewarden/core/internal"
import { Effect, Redacted } from "effect"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import * as z from "zod"

export const backupFormat = "gatewarden-backup/2"
export const manifestFile = "manifest.json"
export const keyringCopy = "keyring"
export const tableFile = (table: string): string => `${table}.ndjson.gz`

export const Manifest = z.object({
  format: z.literal(backupFormat),
  /** Of this backup alone; the check is bound to it. */
  id: z.uuid(),
  created_at: z.string(),
  /** The schema that the rows fit. */
  migrations: z.array(z.object({ id: z.int(), name: z.string(), checksum: z.string() })).min(1),
  /** In the order in which they can be filled. */
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      /** Of the lines before they were compressed. */
      sha256: z.string()
    })
  ),
  /**
   * The ids of files whose content is missing or has another size than the row of the file, if there are any: the storage had lost it, or
   * the file was deleted while the backup was written.
   */
  incomplete_contents: z.array(z.string()).optional(),
  keyring: z.object({
    primary: z.string(),
    /** The ids of the keys that its secrets are encrypted with. */
    ids: z.array(z.string()),
    /** SHA-256 of the rest of the manifest, encrypted with the primary key, in base64: nobody without the key can write another. */
    check: z.string()
  })
})
export type Manifest = z.output<typeof Manifest>

/** Where the check of a backup is kept, as far as the vault is concerned. */
const placeOfCheck = (id: string) => ({
  table: "backup",
  field: "check",
  account_id: "",
  workspace_id: "",
  row_id: id
})

export type Unsealed = Omit<Manifest, "keyring"> & { readonly keyring: Omit<Manifest["keyring"], "check"> }

/** Of all that a manifest says, the sums of its tables among it, in one order of the fields. */
const digestOf = (manifest: Unsealed): string => {
  const { keyring, ...rest } = Manifest.parse({ ...manifest, keyring: { ...manifest.keyring, check: "" } })
  return createHash("sha256")
    .update(JSON.stringify({ ...rest, keyring: { ...keyring, check: "" } }))
    .digest("hex")
}

/** The manifest with its check, which binds every row of the backup to the keyring. */
export const sealManifest = (manifest: Unsealed): Effect.Effect<Manifest, never, Vault> =>
  Effect.map(
    Vault.use((vault) => vault.seal(Redacted.make(digestOf(manifest)), placeOfCheck(manifest.id))),
    (sealed) => ({ ...manifest, keyring: { ...manifest.keyring, check: Buffer.from(sealed).toString("base64") } })
  )

/** Whether the keyring opens the check, and whether the manifest is the one that was sealed. */
export const judgeManifest = (manifest: Manifest): Effect.Effect<"genuine" | "altered" | "unopened", never, Vault> =>
  Effect.match(
    Vault.use((vault) =>
      vault.open(new Uint8Array(Buffer.from(manifest.keyring.check, "base64")), placeOfCheck(manifest.id))
    ),
    {
      onSuccess: (opened) => (Redacted.value(opened) === digestOf(manifest) ? "genuine" : "altered"),
      onFailure: () => "unopened"
    }
  )
