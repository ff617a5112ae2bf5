import * as fc from "fast-check"
import { command, dataOf } from "../modelBased/Command.ts"
import { presetParams } from "./presetParams.ts"
import { some } from "../modelBased/Thing.ts"

const contents = fc.oneof(
  fc.constantFrom("", "Answer briefly.", "é🙂"),
  fc.array(
    fc.constantFrom(
      { type: "text", text: "one" },
      { type: "text", text: "" },
      { type: "image_url", image_url: { url: "data:," } }
    ),
    { maxLength: 3 }
  )
)

const messages = fc.array(
  fc.record({ role: fc.constantFrom("system", "developer", "user", "assistant", "tool"), content: contents }),
  { minLength: 1, maxLength: 4 }
)

export const createPreset = command("createPreset", {
  weight: 5,
  params: presetParams,
  query: { workspace_id: some("workspace") },
  body: { messages },
  headers: { "x-session-id": fc.constantFrom("s", "x".repeat(257)) },
  keeps: { preset: dataOf }
})
