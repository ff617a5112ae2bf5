import { Effect, Option } from "effect"
import { type ArrivingFile, type FileFacts, Files } from "../ports/files.ts"
import { byCreation, ownWorkspace, type Tables } from "./tables/Tables.ts"

export const files = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const row = tables.files.get(id)
    return row !== undefined && ownWorkspace(tables, account_id, row.workspace_id) !== undefined ? row : undefined
  }
  return Files.of({
    reserve: (account_id, workspace_id, file: ArrivingFile) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return false
        const facts: FileFacts = { ...file, mime_type: "", size_bytes: 0 }
        tables.files.set(file.id, { facts, workspace_id, state: "arriving", changed_at: file.created_at })
        return true
      }),
    publish: (account_id, id, content, most_bytes) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row?.state !== "arriving") return "missing"
        const kept = [...tables.files.values()].filter(
          ({ workspace_id }) => ownWorkspace(tables, account_id, workspace_id) !== undefined
        )
        if (kept.reduce((all, { facts }) => all + facts.size_bytes, content.size_bytes) > most_bytes) return "full"
        tables.files.set(id, { ...row, facts: { ...row.facts, ...content }, state: "stored" })
        return "published"
      }),
    find: (account_id, workspace_id, id) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        return row?.workspace_id === workspace_id && row.state === "stored" ? Option.some(row.facts) : Option.none()
      }),
    list: (account_id, workspace_id, { after, limit }) =>
      Effect.sync(() =>
        tables.files
          .ofAccount(account_id)
          .flatMap((row) => (row.workspace_id === workspace_id && row.state === "stored" ? [row.facts] : []))
          .filter((facts) => after === undefined || byCreation(facts, after) > 0)
          .sort(byCreation)
          .slice(0, limit)
      ),
    withdraw: (account_id, workspace_id, id, now) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row?.workspace_id !== workspace_id || row.state === "arriving") return false
        if (row.state === "stored") tables.files.set(id, { ...row, state: "leaving", changed_at: now })
        return true
      }),
    forget: (id) =>
      Effect.sync(() => {
        const row = tables.files.get(id)
        if (row === undefined || (row.state === "stored" && tables.workspaces.has(row.workspace_id))) return false
        return tables.files.delete(id)
      }),
    takeStale: (before, now, limit) =>
      Effect.sync(() =>
        [...tables.files]
          .filter(
            ([, row]) => !tables.workspaces.has(row.workspace_id) || (row.state !== "stored" && row.changed_at < before)
          )
          .sort(([, a], [, b]) => (a.changed_at < b.changed_at ? -1 : 1))
          .slice(0, limit)
          .map(([id, row]) => {
            row.changed_at = now
            return id
          })
      )
  })
}
