import * as fc from "fast-check"
import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const deleteWorkspace = command("deleteWorkspace", {
  weight: 1,
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) }
})
