import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const renewAdmission = command("renewAdmission", { weight: 2, params: { id: some("admission") } })
