/** What a backup says of itself: `manifest.json` in its directory. */
import * as z from "zod"

export const backupFormat = "gatewarden-backup/1"
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
  keyring: z.object({
    primary: z.string(),
    /** The ids of the keys that its secrets are encrypted with. */
    ids: z.array(z.string()),
    /** A known text, encrypted with the primary key, in base64. */
    check: z.string()
  })
})
export type Manifest = z.output<typeof Manifest>

/** Where the check of a backup is kept, as far as the vault is concerned. */
export const placeOfCheck = (id: string) => ({
  table: "backup",
  field: "check",
  account_id: "",
  workspace_id: "",
  row_id: id
})

export const checkText = "gatewarden"
