import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { calendarDay, some } from "../modelBased/Thing.ts"

export const getUserActivity = command("getUserActivity", {
  weight: 3,
  query: {
    date: calendarDay(-32, 1),
    api_key_hash: some("key", "hash"),
    user_id: fc.constantFrom("user-1", "user-2", ""),
    workspace_id: some("workspace")
  }
})
