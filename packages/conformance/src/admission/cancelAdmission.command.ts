import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const cancelAdmission = command("cancelAdmission", { weight: 2, params: { id: some("admission") } })
