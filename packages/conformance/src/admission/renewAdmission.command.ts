import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const renewAdmission = command("renewAdmission", { weight: 2, params: { id: some("admission") } })
