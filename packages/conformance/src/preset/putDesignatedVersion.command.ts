import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const putDesignatedVersion = command("putDesignatedVersion", {
  params: presetParams,
  query: { workspace_id: some("workspace") },
  body: { version: fc.integer({ min: 1, max: 4 }) }
})
