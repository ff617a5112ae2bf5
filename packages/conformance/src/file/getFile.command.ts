import { command } from "../modelBased/Command.ts"
import { fileQuery } from "./fileQuery.ts"
import { some } from "../modelBased/Thing.ts"

export const getFile = command("getFile", {
  weight: 4,
  params: { file_id: some("file") },
  query: fileQuery,
  reads: { kind: "file", params: { file_id: "id" } }
})
