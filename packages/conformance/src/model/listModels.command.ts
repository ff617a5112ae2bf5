import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"

export const listModels = command("listModels", {
  query: { limit: fc.constantFrom("1", "2", "0"), offset: fc.constantFrom("0", "1", "null") }
})
