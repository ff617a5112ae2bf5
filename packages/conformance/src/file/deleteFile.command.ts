import { command } from "../modelBased/Command.ts"
import { fileQuery } from "./fileQuery.ts"
import { some } from "../modelBased/Thing.ts"

export const deleteFile = command("deleteFile", { weight: 4, params: { file_id: some("file") }, query: fileQuery })
