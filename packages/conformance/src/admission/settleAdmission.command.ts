import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"
import { usageReports } from "./traffic.ts"

export const settleAdmission = command("settleAdmission", {
  weight: 8,
  params: { id: some("admission") },
  body: { event: usageReports }
})
