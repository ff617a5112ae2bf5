import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const addWorkspaceMembers = command("addWorkspaceMembers", {
  weight: 3,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) },
  body: {
    user_ids: fc.array(fc.constantFrom("user-1", "user-2", "user-3", "é"), { minLength: 1, maxLength: 3 })
  }
})
