import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"

export const getInvoice = command("getInvoice", {
  weight: 3,
  query: {
    month: fc.constantFrom("2026-01", "2026-02", "2026-03", "2026-04"),
    by: fc.constantFrom("key", "user", "workspace"),
    format: fc.constantFrom("json", "csv")
  }
})
