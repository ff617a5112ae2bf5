/** The schema as it was when its history was folded, by noun, each after those that it refers to. */
import { accounts } from "./accounts.ts"
import { authorization } from "./authorization.ts"
import { catalog } from "./catalog.ts"
import { counts } from "./counts.ts"
import { credentials } from "./credentials.ts"
import { destinations } from "./destinations.ts"
import { files } from "./files.ts"
import { formerFunctions } from "./formerFunctions.ts"
import { guardrails } from "./guardrails.ts"
import { keys } from "./keys.ts"
import { ledger } from "./ledger.ts"
import { presets } from "./presets.ts"
import { rankings } from "./rankings.ts"
import { requests } from "./requests.ts"
import { stream } from "./stream.ts"
import { usage } from "./usage.ts"

export const baseline = {
  id: 40,
  name: "baseline",
  functions: formerFunctions,
  sql: [
    accounts,
    keys,
    guardrails,
    credentials,
    destinations,
    authorization,
    presets,
    files,
    catalog,
    requests,
    usage,
    rankings,
    ledger,
    stream,
    counts
  ].join("")
} as const
