import { type Destination, destinationsPerType } from "@gatewarden/contract"
import { Effect } from "effect"
import { Destinations } from "../observability/Destinations.ts"
import { pageOf } from "./tables/pageOf.ts"
import { ownWorkspace, type Tables } from "./tables/Tables.ts"

export const destinations = (tables: Tables) => {
  const inWorkspace = (account_id: string, workspace_id: string) =>
    tables.destinations.ofAccount(account_id).filter((row) => row.destination.workspace_id === workspace_id)
  return Destinations.of({
    insert: (account_id, destination, sealed_config) =>
      Effect.sync(() => {
        const { id, workspace_id, type } = destination
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const ofType = inWorkspace(account_id, workspace_id).filter((row) => row.destination.type === type)
        if (ofType.length >= destinationsPerType) return "full"
        tables.destinations.set(id, { account_id, destination, sealed_config })
        return "inserted"
      }),
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() =>
        pageOf<Destination>(
          inWorkspace(account_id, workspace_id).map((row) => row.destination),
          page
        )
      )
  })
}
