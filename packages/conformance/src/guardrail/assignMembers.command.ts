import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const assignMembers = command("assignMembers", {
  weight: 3,
  params: { id: some("guardrail") },
  body: {
    member_user_ids: fc.array(fc.constantFrom("user-1", "user-1", "user-2", "user-3"), { minLength: 1, maxLength: 2 })
  }
})
