import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const cancelAdmission = command("cancelAdmission", { weight: 2, params: { id: some("admission") } })
