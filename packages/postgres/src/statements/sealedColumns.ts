/** Which columns hold what the vault has sealed, and how a row of each is found from the place of its value. */
import { type SealedField, type EncryptionContext, sealedFields } from "@gatewarden/core/internal"
import type { TransferTable } from "../transfer/readTables.ts"

export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The primary key, in its order, or what else finds the rows of a place. */
  readonly keys: readonly { readonly name: string; readonly type: "uuid" | "text" }[]
  /** SQL for what the place calls the workspace and the row. */
  readonly workspace_id: string
  readonly row_id: string
  /** Values of the primary key. */
  readonly keyOf: (place: EncryptionContext) => readonly string[]
}

const uuidLength = 36

const ofWorkspace = (table: string, column: string): SealedColumn => ({
  table,
  column,
  keys: [{ name: "id", type: "uuid" }],
  workspace_id: "workspace_id::text",
  row_id: "id::text",
  keyOf: ({ row_id }) => [row_id]
})

const bodiesOfEvents = (table: string): SealedColumn => ({
  table,
  column: "sealed_bodies",
  keys: [
    { name: "account_id", type: "uuid" },
    { name: "event_id", type: "text" }
  ],
  workspace_id: "workspace_id::text",
  row_id: "event_id",
  keyOf: ({ account_id, row_id }) => [account_id, row_id]
})

export const sealedColumns: Readonly<Record<SealedField, SealedColumn>> = {
  "alert_channel.config": ofWorkspace("gatewarden_alert_channel", "sealed_config"),
  "audit_signature.sealed": {
    table: "gatewarden_audit_signature",
    column: "sealed",
    keys: [{ name: "account_id", type: "uuid" }],
    workspace_id: "''",
    row_id: "account_id::text",
    keyOf: ({ account_id }) => [account_id]
  },
  "byok_credential.key": ofWorkspace("gatewarden_byok_credential", "sealed_key"),
  "dead_letter.bodies": {
    table: "gatewarden_dead_letter",
    column: "sealed_bodies",
    keys: [
      { name: "destination_id", type: "uuid" },
      { name: "event_id", type: "text" }
    ],
    workspace_id: "workspace_id::text",
    row_id: "destination_id || ' ' || event_id",
    keyOf: ({ row_id }) => [row_id.slice(0, uuidLength), row_id.slice(uuidLength + 1)]
  },
  // An event may wait twice, once for all and once more for a destination that gets it again: both rows have the same place.
  "delivery.bodies": bodiesOfEvents("gatewarden_delivery"),
  "destination.config": ofWorkspace("gatewarden_destination", "sealed_config"),
  "erasure.request": {
    table: "gatewarden_erasure",
    column: "sealed_request",
    keys: [{ name: "id", type: "uuid" }],
    workspace_id: "''",
    row_id: "id::text",
    keyOf: ({ row_id }) => [row_id]
  },
  "generation_content.bodies": bodiesOfEvents("gatewarden_generation_content"),
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

/** Those fields whose columns a schema has, which may be older than this version. */
export const sealedFieldsIn = (tables: readonly Pick<TransferTable, "name" | "columns">[]): readonly SealedField[] =>
  sealedFields.filter((field) =>
    tables.some(
      ({ name, columns }) =>
        name === sealedColumns[field].table && columns.some((column) => column.name === sealedColumns[field].column)
    )
  )
