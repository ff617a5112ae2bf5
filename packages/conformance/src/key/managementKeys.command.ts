import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const createManagementKey = command("createManagementKey", {
  weight: 1,
  body: {
    restrictions: fc.option(
      fc.record({
        access: fc.constantFrom("read", "write"),
        workspace_ids: fc.option(fc.tuple(some("workspace"))),
        resources: fc.option(fc.constantFrom(["keys"], ["guardrails", "workspaces"]))
      })
    )
  },
  keeps: { managementKey: ({ data, key }) => ({ ...data, key }) }
})

export const listManagementKeys = command("listManagementKeys", {})

export const deleteManagementKey = command("deleteManagementKey", {
  weight: 1,
  params: { hash: some("managementKey", "hash") }
})
