import type { ScimSyncJob } from "@gatewarden/contract"
import type { SyncJob } from "../ports/directory.ts"

export const printedSyncJob = ({
  id,
  status,
  synced_groups,
  created_at,
  started_at,
  finished_at
}: SyncJob): ScimSyncJob => {
  const isDone = status === "succeeded"
  return {
    id,
    status,
    synced_groups: isDone ? synced_groups : null,
    deleted_groups: isDone ? 0 : null,
    error_message: null,
    created_at,
    started_at,
    finished_at
  }
}
