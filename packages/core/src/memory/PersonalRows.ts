import { Effect } from "effect"
import { PersonalRows, type PersonalTableName, namedIn, personalTables } from "../ports/erasures.ts"
import { compareText } from "../value/text.ts"
import { eventPlace, type Tables } from "./tables/Tables.ts"

type Row = Readonly<Record<string, unknown>>

/** The rows of an account, as the database has them. */
const rowsOf = (tables: Tables): Readonly<Record<PersonalTableName, (account_id: string) => readonly object[]>> => {
  const presetsOf = (account_id: string) => tables.presets.ofAccount(account_id)
  return {
    key: (account_id) => tables.apiKeys.ofAccount(account_id),
    deleted_key: (account_id) => tables.deletedKeys.ofAccount(account_id),
    external_user: (account_id) => tables.externalUsers.ofAccount(account_id),
    authorization_code: (account_id) => tables.codeGrants.ofAccount(account_id),
    byok_credential: (account_id) => tables.byokCredentials.ofAccount(account_id),
    directory_user: (account_id) => tables.directoryUsers.ofAccount(account_id),
    federation_policy: (account_id) => tables.federationPolicies.ofAccount(account_id),
    key_assignment: (account_id) =>
      tables.apiKeys.ofAccount(account_id).flatMap(({ hash }) => {
        const assignment = tables.guardrailOfKey.get(hash)
        return assignment === undefined ? [] : [{ ...assignment, key_hash: hash }]
      }),
    member_assignment: (account_id) => tables.guardrailOfMember.ofAccount(account_id),
    preset: (account_id) => presetsOf(account_id).map(({ preset }) => preset),
    preset_version: (account_id) => presetsOf(account_id).flatMap(({ versions }) => versions),
    workspace: (account_id) => tables.workspaces.ofAccount(account_id),
    workspace_member: (account_id) => tables.workspaceMembers.ofAccount(account_id)
  }
}

export const personalRows = (tables: Tables) => {
  const rows = rowsOf(tables)
  return PersonalRows.of({
    naming: (account_id, person, table, after, limit) =>
      Effect.sync(() =>
        rows[table](account_id)
          .map((row) => ({ place: String((row as Row)[personalTables[table].place]), row: row as Row }))
          .filter(({ place, row }) => compareText(place, after) > 0 && namedIn(table, person, row).length > 0)
          .sort((a, b) => compareText(a.place, b.place))
          .slice(0, limit)
      ),
    feedbackOn: (account_id, ids) =>
      Effect.sync(() =>
        ids.flatMap((id) => {
          const feedback = tables.generationFeedback.get(eventPlace(account_id, id))
          return feedback === undefined ? [] : [{ id, ...feedback }]
        })
      )
  })
}
