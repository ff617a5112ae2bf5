import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"

export const exportPersonalData = command("exportPersonalData", {
  weight: 3,
  query: { user_id: fc.constantFrom("user-1", "user-2"), limit: fc.constantFrom("1", "3", "1000") }
})
