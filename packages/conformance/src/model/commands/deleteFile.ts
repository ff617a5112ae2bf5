import { command } from "../Command.ts"
import { fileQuery } from "../fileQuery.ts"
import { some } from "../Thing.ts"

export const deleteFile = command("deleteFile", { weight: 4, params: { file_id: some("file") }, query: fileQuery })
