import { Effect } from "effect"
import { type StoredAmount, StoredAmounts } from "../ports/limits.ts"
import { type StoredKind } from "../ports/storageQuotas.ts"
import { bytesOfVersion } from "../preset/preset.ts"
import { ownWorkspace, type Tables } from "./tables/Tables.ts"

const sum = (sizes: readonly number[]): StoredAmount => ({
  rows: sizes.length,
  bytes: sizes.reduce((all, size) => all + size, 0)
})

export const storedAmounts = (tables: Tables) => {
  type Read = (account_id: string, workspace_id: string | null) => StoredAmount
  const counted =
    (table: { readonly countOf: (account_id: string) => number }): Read =>
    (account_id) => ({ rows: table.countOf(account_id), bytes: 0 })
  const isWithin = (account_id: string, workspace_id: string | null, of: string): boolean =>
    workspace_id === null ? ownWorkspace(tables, account_id, of) !== undefined : of === workspace_id

  const readers: Readonly<Record<StoredKind, Read>> = {
    key: counted(tables.apiKeys),
    guardrail: counted(tables.guardrails),
    credential: (account_id, workspace_id) => ({
      rows:
        workspace_id === null
          ? tables.byokCredentials.countOf(account_id)
          : tables.byokCredentials.ofAccount(account_id).filter((row) => row.workspace_id === workspace_id).length,
      bytes: 0
    }),
    workspace: counted(tables.workspaces),
    external_user: counted(tables.externalUsers),
    directory_user: counted(tables.directoryUsers),
    directory_group: counted(tables.directoryGroups),
    group_mapping: counted(tables.groupMappings),
    idempotency_answer: (account_id) =>
      sum(
        [...tables.idempotencyRecords.values()]
          .filter(({ scope }) => scope.account_id === account_id)
          .map(({ answer }) => answer?.sealed.length ?? 0)
      ),
    generation_content: (account_id) => tables.generationContents.amountOf(account_id),
    file: (account_id, workspace_id) =>
      sum(
        [...tables.files.values()]
          .filter((row) => isWithin(account_id, workspace_id, row.workspace_id))
          .map(({ facts }) => facts.size_bytes)
      ),
    preset_version: (account_id, workspace_id) =>
      sum(
        [...tables.presets.values()]
          .filter(({ preset }) => isWithin(account_id, workspace_id, preset.workspace_id))
          .flatMap(({ versions }) => versions.map(bytesOfVersion))
      )
  }
  return StoredAmounts.of({
    kept: (account_id, workspace_id, kind) => Effect.sync(() => readers[kind](account_id, workspace_id))
  })
}
