import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { fileQuery } from "./fileQuery.ts"

export const getFileContent = command("getFileContent", { params: { file_id: some("file") }, query: fileQuery })
