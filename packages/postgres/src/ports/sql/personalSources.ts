/** Where the rows of each table of personal data are. */
import type { PersonalTableName } from "@gatewarden/core/store"

export interface PersonalSource {
  /** Has `account_id` and the columns that `personalTables` names. */
  readonly from: string
  /** The columns that name users are lists. */
  readonly lists?: true
  /** Its rows are found by their workspaces: no index has the account first, nor the name. */
  readonly ofWorkspaces?: true
}

export const personalSources: Readonly<Record<PersonalTableName, PersonalSource>> = {
  key: { from: "gatewarden_api_key" },
  deleted_key: { from: "gatewarden_deleted_key" },
  external_user: { from: "gatewarden_external_user" },
  authorization_code: { from: "gatewarden_authorization_code" },
  byok_credential: { from: "gatewarden_byok_credential", lists: true, ofWorkspaces: true },
  directory_user: { from: "gatewarden_directory_user" },
  federation_policy: { from: "gatewarden_federation_policy", ofWorkspaces: true },
  key_assignment: { from: "gatewarden_guardrail_key" },
  member_assignment: { from: "gatewarden_guardrail_member" },
  preset: { from: "gatewarden_preset", ofWorkspaces: true },
  preset_version: {
    from: `(select v.*, p.account_id from gatewarden_preset_version v join gatewarden_preset p on p.id = v.preset_id) version`
  },
  workspace: { from: "gatewarden_workspace" },
  workspace_member: { from: "gatewarden_workspace_member" }
}
