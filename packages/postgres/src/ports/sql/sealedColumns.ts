/** Which columns hold what the vault has sealed, and how a row of each is found from the place of its value. */
import type { SealedField, SecretPlace } from "@gatewarden/core/store"

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key, in its order. */
  readonly keys: readonly { readonly name: string; readonly type: "uuid" | "text" }[]
  /** SQL for what the place calls the workspace and the row. */
  readonly workspace_id: string
  readonly row_id: string
  /** Values of the primary key. */
  readonly keyOf: (place: SecretPlace) => readonly string[]
}

const ofWorkspace = (table: string, column: string): SealedColumn => ({
  table,
  column,
  keys: [{ name: "id", type: "uuid" }],
  workspace_id: "workspace_id::text",
  row_id: "id::text",
  keyOf: ({ row_id }) => [row_id]
})

export const sealedColumns: Readonly<Record<SealedField, SealedColumn>> = {
  "byok_credential.key": ofWorkspace("gatewarden_byok_credential", "sealed_key"),
  "destination.config": ofWorkspace("gatewarden_destination", "sealed_config"),
  "idempotency_record.answer": {
    table: "gatewarden_idempotency_record",
    column: "sealed",
    keys: [
      { name: "account_id", type: "uuid" },
      { name: "key_hash", type: "text" },
      { name: "request_hash", type: "text" }
    ],
    workspace_id: "''",
    row_id: "key_hash || ' ' || request_hash",
    keyOf: ({ account_id, row_id }) => [account_id, ...row_id.split(" ")]
  }
}
