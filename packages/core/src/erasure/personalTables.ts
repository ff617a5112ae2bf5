/**
 * What of the configuration names persons, and which fields of it an export shows. Rule: access#personal-data.
 *
 * Fields that name a person are shown by name only (`named_in`), so that nobody's export has another person in it. Secrets are not listed.
 */

export interface PersonalTable {
  /** Fields with the id of a user, or with a list of them. */
  readonly user: readonly string[]
  /** Fields with a host's name for its end user. */
  readonly external_user: readonly string[]
  /** Names a row for ever, and orders the rows. */
  readonly place: string
  readonly shown: readonly string[]
}

const assignment = ["id", "guardrail_id", "created_at"]

export const personalTables = {
  key: {
    user: ["user_id", "creator_user_id"],
    external_user: ["external_user"],
    place: "hash",
    shown: [
      ...["hash", "kind", "workspace_id", "name", "label", "disabled", "expires_at", "revoked_at"],
      ...["created_at", "updated_at"]
    ]
  },
  deleted_key: { user: ["user_id"], external_user: ["external_user"], place: "hash", shown: ["hash"] },
  external_user: {
    user: [],
    external_user: ["external_user"],
    place: "id",
    shown: ["id", "is_active", "created_at", "updated_at"]
  },
  authorization_code: {
    user: ["user_id"],
    external_user: [],
    place: "code_hash",
    shown: ["workspace_id", "callback_url", "key_name", "created_at", "expires_at", "spent_at", "key_hash"]
  },
  byok_credential: {
    user: ["allowed_user_ids"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "provider", "name", "disabled", "created_at"]
  },
  directory_user: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "user_name", "external_id", "active", "attributes", "created_at", "updated_at"]
  },
  federation_policy: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "name", "issuer", "audience", "subject", "disabled", "created_at", "updated_at"]
  },
  key_assignment: { user: ["assigned_by"], external_user: [], place: "id", shown: [...assignment, "key_hash"] },
  member_assignment: { user: ["user_id", "assigned_by"], external_user: [], place: "id", shown: assignment },
  preset: {
    user: ["creator_user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "slug", "name", "description", "status", "created_at", "updated_at"]
  },
  preset_version: {
    user: ["creator_id"],
    external_user: [],
    place: "id",
    shown: ["id", "preset_id", "version", "created_at"]
  },
  workspace: {
    user: ["created_by"],
    external_user: [],
    place: "id",
    shown: ["id", "slug", "name", "description", "created_at", "updated_at"]
  },
  workspace_member: {
    user: ["user_id"],
    external_user: [],
    place: "id",
    shown: ["id", "workspace_id", "role", "created_at"]
  }
} as const satisfies Readonly<Record<string, PersonalTable>>

export type PersonalTableName = keyof typeof personalTables

export const personalTableNames = Object.keys(personalTables) as PersonalTableName[]

/** Whose data is sought. */
export interface Person {
  readonly kind: "user" | "external_user"
  readonly name: string
}

/** The fields of a row that name the person. */
export const namedIn = (
  table: PersonalTableName,
  { kind, name }: Person,
  row: Readonly<Record<string, unknown>>
): readonly string[] => {
  const fields: readonly string[] = personalTables[table][kind]
  return fields.filter((field) => {
    const value = row[field]
    return Array.isArray(value) ? value.includes(name) : value === name
  })
}
