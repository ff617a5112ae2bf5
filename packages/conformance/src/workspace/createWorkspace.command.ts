import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"

export const createWorkspace = command("createWorkspace", {
  // Few slugs, so that one is taken now and then.
  body: { slug: fc.constantFrom("default", "one", "two", "three", "a-b") },
  keeps: { workspace: dataOf }
})
