import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const renewAdmission = command("renewAdmission", { weight: 2, params: { id: some("admission") } })
