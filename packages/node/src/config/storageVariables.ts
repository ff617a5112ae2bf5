/** The variables of storage quotas: one for each row of the core's table. Rule: operating#storage-quotas. */
import type { StorageLimits } from "@gatewarden/core"
import { defaultStorageLimits, variableOf } from "@gatewarden/core/internal"
import * as z from "zod"

const amount = z
  .string()
  .regex(/^\d{1,15}$/, "is not valid")
  .transform(Number)

type QuotaVariable = `GATEWARDEN_MAX_${Uppercase<keyof StorageLimits>}`

const meanings: Readonly<Record<keyof StorageLimits, string>> = {
  versions_per_preset: "Versions that a preset may have.",
  preset_bytes_per_workspace: "Bytes of presets, all versions together, that a workspace may keep.",
  files_per_workspace: "Files that a workspace may keep.",
  file_bytes_per_account: "Bytes of files that an account may keep.",
  idempotency_bytes_per_account: "Bytes of responses that are stored for an account to be repeated.",
  body_bytes_per_account: "Bytes of bodies of requests that an account may keep.",
  external_users_per_account: "External users that an account may register.",
  directory_users_per_account: "Users that directories may provision in an account.",
  directory_groups_per_account: "Groups that directories may provision in an account.",
  group_mappings_per_account: "Mappings of groups to workspaces in an account.",
  directory_memberships_per_account: "Memberships that the mappings of an account give.",
  members_per_workspace: "Members that a workspace may have.",
  guardrails_per_account: "Guardrails that an account may keep.",
  credentials_per_account: "BYOK credentials that an account may keep.",
  credentials_per_workspace: "BYOK credentials that a workspace may keep: a decision reads all of them.",
  keys_per_account: "API keys that an account may keep.",
  workspaces_per_account: "Workspaces that an account may keep."
}

const beyond: Partial<Readonly<Record<keyof StorageLimits, string>>> = {
  body_bytes_per_account: "Beyond it, usage is recorded without bodies."
}

const names = Object.keys(meanings) as readonly (keyof StorageLimits)[]

export const storageVariables = Object.fromEntries(
  names.map((name) => [
    variableOf(name),
    {
      schema: amount,
      expected: "an integer from 0",
      meaning: `${meanings[name]} ${beyond[name] ?? "A write beyond it is refused with 400 quota_exceeded."}`,
      default: String(defaultStorageLimits[name])
    }
  ])
) as Readonly<
  Record<
    QuotaVariable,
    { readonly schema: typeof amount; readonly expected: string; readonly meaning: string; readonly default: string }
  >
>

/** The quotas as a configuration gives them. */
export const storageLimitsOf = (values: Readonly<Record<QuotaVariable, number>>): StorageLimits =>
  Object.fromEntries(names.map((name) => [name, values[variableOf(name) as QuotaVariable]])) as unknown as StorageLimits
