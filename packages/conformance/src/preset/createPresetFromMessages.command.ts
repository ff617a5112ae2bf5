import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

export const createPresetFromMessages = command("createPresetFromMessages", {
  params: presetParams,
  query: { workspace_id: some("workspace") },
  body: { system: fc.constantFrom("", "Answer briefly.", [{ type: "text", text: "é🙂" }]) },
  keeps: { preset: dataOf }
})
