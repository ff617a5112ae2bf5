/** The schema of the first release, a file for each noun, each after those that it refers to. */
import { sqlTexts } from "../../embedded/sqlTexts.ts"

const nouns = [
  "accounts",
  "users",
  "external_users",
  "directory",
  "keys",
  "federation",
  "guardrails",
  "credentials",
  "destinations",
  "deliveries",
  "alerts",
  "authorization",
  "presets",
  "files",
  "catalog",
  "requests",
  "usage",
  "rollups",
  "statistics",
  "outgoing",
  "rankings",
  "datasets",
  "ledger",
  "audit",
  "erasures",
  "background",
  "counts"
] as const

export const baseline = {
  id: 1,
  name: "baseline",
  sql: nouns.map((noun) => sqlTexts[`migrations/baseline/${noun}`]).join("\n")
}
