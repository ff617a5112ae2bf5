/** The corpora of the builtins that we find ourselves, by slug. */
import type { Corpus } from "./Corpus.ts"
import { creditCard } from "./creditCard.ts"
import { email } from "./email.ts"
import { injection } from "./injection.ts"
import { ipAddress } from "./ipAddress.ts"
import { phone } from "./phone.ts"
import { secrets } from "./secrets.ts"
import { ssn } from "./ssn.ts"

export const corpora = {
  email,
  phone,
  ssn,
  "credit-card": creditCard,
  "ip-address": ipAddress,
  secrets,
  "regex-prompt-injection": injection
} as const satisfies Readonly<Record<string, Corpus>>
