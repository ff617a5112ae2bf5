import { command } from "../Command.ts"
import { some } from "../Thing.ts"
import { usageReports } from "../traffic.ts"

export const settleAdmission = command("settleAdmission", {
  weight: 8,
  params: { id: some("admission") },
  body: { event: usageReports }
})
