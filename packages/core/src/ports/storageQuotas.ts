export type StoredKind =
  | "key"
  | "guardrail"
  | "credential"
  | "workspace"
  | "file"
  | "preset_version"
  | "external_user"
  | "directory_user"
  | "directory_group"
  | "group_mapping"
  | "idempotency_answer"
  | "generation_content"

interface StorageQuota {
  readonly kind: StoredKind
  readonly owner: "account" | "workspace"
  readonly measure: "rows" | "bytes"
  readonly default: number
  /** What is counted, as it ends the sentence "This account keeps 10,000 …". */
  readonly things: string
}

const quota = <const Q extends StorageQuota>(row: Q): Q => row

/** How much an account or a workspace may store, one row a quota. Rule: operating#storage-quotas. */
export const storageQuotas = {
  keys_per_account: quota({ kind: "key", owner: "account", measure: "rows", default: 1_000_000, things: "API keys" }),
  guardrails_per_account: quota({
    kind: "guardrail",
    owner: "account",
    measure: "rows",
    default: 10_000,
    things: "guardrails"
  }),
  credentials_per_account: quota({
    kind: "credential",
    owner: "account",
    measure: "rows",
    default: 10_000,
    things: "BYOK credentials"
  }),
  credentials_per_workspace: quota({
    kind: "credential",
    owner: "workspace",
    measure: "rows",
    default: 1_000,
    things: "BYOK credentials"
  }),
  workspaces_per_account: quota({
    kind: "workspace",
    owner: "account",
    measure: "rows",
    default: 10_000,
    things: "workspaces"
  }),
  external_users_per_account: quota({
    kind: "external_user",
    owner: "account",
    measure: "rows",
    default: 1_000_000,
    things: "external users"
  }),
  directory_users_per_account: quota({
    kind: "directory_user",
    owner: "account",
    measure: "rows",
    default: 100_000,
    things: "users of a directory"
  }),
  directory_groups_per_account: quota({
    kind: "directory_group",
    owner: "account",
    measure: "rows",
    default: 10_000,
    things: "groups of a directory"
  }),
  group_mappings_per_account: quota({
    kind: "group_mapping",
    owner: "account",
    measure: "rows",
    default: 10_000,
    things: "mappings of groups"
  }),
  files_per_workspace: quota({
    kind: "file",
    owner: "workspace",
    measure: "rows",
    default: 10_000,
    things: "files"
  }),
  file_bytes_per_account: quota({
    kind: "file",
    owner: "account",
    measure: "bytes",
    default: 10_737_418_240,
    things: "bytes of files"
  }),
  idempotency_bytes_per_account: quota({
    kind: "idempotency_answer",
    owner: "account",
    measure: "bytes",
    default: 268_435_456,
    things: "bytes of stored responses"
  }),
  body_bytes_per_account: quota({
    kind: "generation_content",
    owner: "account",
    measure: "bytes",
    default: 10_737_418_240,
    things: "bytes of stored bodies"
  }),
  preset_bytes_per_workspace: quota({
    kind: "preset_version",
    owner: "workspace",
    measure: "bytes",
    default: 104_857_600,
    things: "bytes of presets"
  })
} as const

export type StoredQuotaName = keyof typeof storageQuotas

/** How much an account or a workspace may store, by quota. The store counts the first three with what they belong to. */
export type StorageLimits = Readonly<
  Record<
    "versions_per_preset" | "directory_memberships_per_account" | "members_per_workspace" | StoredQuotaName,
    number
  >
>

export const defaultStorageLimits: StorageLimits = {
  versions_per_preset: 1_000,
  directory_memberships_per_account: 100_000,
  members_per_workspace: 100_000,
  ...(Object.fromEntries(Object.entries(storageQuotas).map(([name, row]) => [name, row.default])) as Record<
    StoredQuotaName,
    number
  >)
}

/** The variable of the server that sets a quota. */
export const variableOf = (name: keyof StorageLimits): `GATEWARDEN_MAX_${string}` =>
  `GATEWARDEN_MAX_${name.toUpperCase()}`
