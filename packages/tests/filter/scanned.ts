/** What the tests of scans share: rules, messages, and a scan that no clock ends. */
import type { ChatMessage } from "@gatewarden/contract"
import { Effect } from "effect"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { ContentFilterSettings } from "../../core/src/filter/ContentFilterSettings.ts"
import { scanMessages } from "../../core/src/filter/scanMessages.ts"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import { appliedRule as rule } from "./appliedRule.ts"

const labels = { email: "[EMAIL]", ssn: "[SSN]", "credit-card": "[CARD]", "ip-address": "[IP_ADDRESS]" } as const
type Slug = keyof typeof labels

export const redacting = (...slugs: readonly Slug[]) =>
  rule({ content_filter_builtins: slugs.map((slug) => ({ slug, action: "redact", label: labels[slug] })) })
export const blocking = (slug: Slug) =>
  rule({ content_filter_builtins: [{ slug, action: "block", label: labels[slug] }] })

export const said = (...messages: readonly object[]) => messages as readonly ChatMessage[]
export const user = (content: unknown) => ({ role: "user", content })
export const part = (text: string) => ({ type: "text", text })

export const scan = (
  rules: readonly AppliedGuardrail[],
  messages: readonly ChatMessage[],
  fields: Readonly<Record<string, unknown>> = {},
  reversible = false
) =>
  Effect.runPromise(
    Effect.provideService(
      scanMessages(compileFilters(rules), messages, { reversible, fields }),
      // However busy the machine is.
      ContentFilterSettings,
      { budget_millis: 600_000, detector_millis: 600_000 }
    )
  )

export const ssn = "123-45-6789"
