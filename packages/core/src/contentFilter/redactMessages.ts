/** Messages as they may be sent on, with a label or a placeholder where something was found. May be left between any two steps. */
import type { ChatMessage } from "@gatewarden/contract"
import { mapTexts } from "./mapTexts.ts"
import type { Outcome } from "./outcomesOf.ts"
import { makePlaceholders, takenNumbers } from "./Placeholders.ts"
import { type LabelledSpan, redactText } from "./redactText.ts"
import type { Restorer } from "./Restorer.ts"

export interface RedactedMessages {
  /** The same object where nothing was redacted. */
  readonly messages: readonly ChatMessage[]
  readonly restore: Restorer | undefined
}

/** `texts`: those of the messages, in the order of `mapTexts`. */
export function* redactMessages(
  messages: readonly ChatMessage[],
  texts: readonly string[],
  outcomes: readonly Outcome[],
  { reversible }: { readonly reversible: boolean }
): Generator<void, RedactedMessages> {
  const spans = new Map<number, LabelledSpan[]>()
  for (const { filter, found } of outcomes)
    if (filter.action === "redact")
      for (const { text, start, end } of found) {
        const cut = spans.get(text) ?? []
        cut.push({ start, end, label: filter.label })
        spans.set(text, cut)
        yield
      }
  if (spans.size === 0) return { messages, restore: undefined }
  const placeholders = reversible ? makePlaceholders(yield* takenNumbers(JSON.stringify(messages))) : undefined
  const redacted = new Map<number, string>()
  for (const [place, cut] of spans) redacted.set(place, yield* redactText(texts[place] ?? "", cut, placeholders?.of))
  let index = 0
  return {
    messages: yield* mapTexts(messages, (text) => redacted.get(index++) ?? text),
    restore: placeholders?.restorer()
  }
}
