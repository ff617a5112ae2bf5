import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { command, dataOf } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const createDestination = command("createDestination", {
  weight: 3,
  together: members(
    {
      workspace_id: fc.option(some("workspace")),
      api_key_hashes: fc.option(fc.array(some("key", "hash"), { maxLength: 3 }))
    },
    ["workspace_id", "api_key_hashes"]
  ),
  keeps: { destination: dataOf }
})
