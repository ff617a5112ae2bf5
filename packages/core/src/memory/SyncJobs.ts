import { Effect, Option } from "effect"
import { type SyncJob, SyncJobs } from "../ports/directory.ts"
import { compareText } from "../value/text.ts"
import { reconcileDirectory } from "./tables/reconcileDirectory.ts"
import { turnOf } from "../value/fairQueue.ts"
import { type Owned, type Tables, withoutOwner } from "./tables/Tables.ts"

export const syncJobs = (tables: Tables) => {
  const unfinished = (jobs: Iterable<Owned<SyncJob> & { readonly after: string }>) =>
    [...jobs].filter(({ finished_at }) => finished_at === null)
  const printed = ({ after: _, ...job }: Owned<SyncJob> & { readonly after: string }): SyncJob =>
    withoutOwner<SyncJob>(job)

  return SyncJobs.of({
    start: (account_id, id, now) =>
      Effect.sync(() => {
        const last = tables.syncJobs.get(account_id)
        if (last !== undefined && last.finished_at === null) return printed(last)
        const job = {
          id,
          account_id,
          status: "queued" as const,
          synced_groups: 0,
          created_at: now,
          started_at: null,
          finished_at: null,
          after: ""
        }
        tables.syncJobs.set(account_id, job)
        const { after: _, ...facts } = job
        tables.changes.record({ account_id, noun: "directory_sync", id, workspace_id: null }, undefined, facts)
        return printed(job)
      }),
    find: (account_id, id) =>
      Effect.sync(() => {
        const job = tables.syncJobs.get(account_id)
        return job?.id === id ? Option.some(printed(job)) : Option.none()
      }),
    advance: (now, after) =>
      Effect.sync(() => {
        const account_id = turnOf(unfinished(tables.syncJobs.values()), after) ?? null
        const job = account_id === null ? undefined : tables.syncJobs.get(account_id)
        if (account_id === null || job === undefined) return { handled: 0, account_id: null, keys: [] }
        const group = tables.directoryGroups
          .ofAccount(account_id)
          .filter(({ id }) => compareText(id, job.after) > 0)
          .sort((a, b) => compareText(a.id, b.id))[0]
        const started = { ...job, started_at: job.started_at ?? now }
        if (group === undefined) {
          tables.syncJobs.set(account_id, { ...started, status: "succeeded", finished_at: now })
          return { handled: 1, account_id, keys: [] }
        }
        const synced_groups = job.synced_groups + 1
        tables.syncJobs.set(account_id, { ...started, status: "running", synced_groups, after: group.id })
        const users = [...(tables.groupMembers.get(group.id) ?? [])].flatMap(
          (id) => tables.directoryUsers.get(id)?.user_id ?? []
        )
        const { keys } = reconcileDirectory(tables, account_id, { users }, { now, spared: "" })
        return { handled: 1, account_id, keys: keys.map((key) => ({ account_id, ...key })) }
      })
  })
}
