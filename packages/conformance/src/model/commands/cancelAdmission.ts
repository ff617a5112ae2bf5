import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const cancelAdmission = command("cancelAdmission", { weight: 2, params: { id: some("admission") } })
