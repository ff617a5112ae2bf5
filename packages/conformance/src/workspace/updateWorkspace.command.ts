import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const updateWorkspace = command("updateWorkspace", {
  params: { id: fc.oneof(some("workspace"), some("workspace", "slug")) },
  // Few slugs, so that one is taken now and then.
  body: { slug: fc.constantFrom("default", "one", "two", "three", "a-b") },
  keeps: { workspace: dataOf }
})
