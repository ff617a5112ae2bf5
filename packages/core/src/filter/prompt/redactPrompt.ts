/** The request after redaction, with labels or placeholders for findings. A generator that can pause between any two steps. */
import type { Step } from "../../value/inSlices.ts"
import type { Outcome } from "../outcomesOf.ts"
import { inTexts, type Passages } from "./passages.ts"
import { makePlaceholders, takenNumbers } from "./Placeholders.ts"
import type { Prompt, PromptTexts } from "./PromptTexts.ts"
import { type LabelledSpan, redactText } from "../redactText.ts"
import type { Restorer } from "../Restorer.ts"

export interface RedactedPrompt extends Prompt {
  readonly restore: Restorer | undefined
}

/** The same objects if nothing was redacted. */
export function* redactPrompt(
  prompt: Prompt,
  texts: PromptTexts,
  { passages }: Passages,
  outcomes: readonly Outcome[],
  { reversible }: { readonly reversible: boolean }
): Generator<Step, RedactedPrompt> {
  const spans = new Map<number, LabelledSpan[]>()
  for (const { filter, found } of outcomes)
    if (filter.action === "redact")
      for (const { text: place, start, end } of found) {
        const passage = passages[place]
        if (passage !== undefined)
          for (const { text, ...span } of inTexts(passage, { start, end, label: filter.label })) {
            const cut = spans.get(text) ?? []
            cut.push(span)
            spans.set(text, cut)
          }
        yield
      }
  if (spans.size === 0) return { ...prompt, restore: undefined }
  const placeholders = reversible ? makePlaceholders(yield* takenNumbers(texts.texts)) : undefined
  const redacted = new Map<number, string>()
  for (const [place, cut] of spans)
    redacted.set(place, yield* redactText(texts.texts[place]?.text ?? "", cut, placeholders?.of))
  return { ...(yield* texts.rewrite(redacted)), restore: placeholders?.restorer() }
}
