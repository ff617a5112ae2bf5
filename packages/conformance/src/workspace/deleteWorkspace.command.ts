import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteWorkspace = command("deleteWorkspace", {
  weight: 1,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) }
})
