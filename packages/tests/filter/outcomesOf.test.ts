import { assert, describe, it } from "@effect/vitest"
import type { Guardrail } from "@gatewarden/contract"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { outcomesOf, type Searched } from "../../core/src/filter/outcomesOf.ts"
import { unrestricted } from "../../core/src/ports/guardrails.ts"

const guardrail = {
  ...unrestricted,
  id: "6b0f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
  content_filter_builtins: [
    { slug: "email", action: "flag", label: "[EMAIL]" },
    { slug: "regex-prompt-injection", action: "flag", label: "[INJECTION]", scan_scope: "user_only" },
    { slug: "person-name", action: "flag", label: "[NAME]" }
  ]
} as unknown as Guardrail

const { filters } = compileFilters([{ scope: "key", guardrail }])
const [email, injection] = [0, 1]

const outcomes = (searched: Partial<Searched>) => {
  const steps = outcomesOf(filters, {
    hits: [],
    unfinished: [],
    detections: [],
    roles: ["user", "assistant"],
    tokens: [false, false],
    unite: (found) => found,
    ...searched
  })
  for (let step = steps.next(); ; step = steps.next())
    if (step.done === true)
      return step.value.map(({ filter, found, failure }) => [filter.filter, found.length, failure])
}

describe("outcomesOf", () => {
  it("counts a pattern once where windows overlap, and every place of everything else", () => {
    const at = { sought: injection, text: 0, start: 3, end: 9 }
    const hits = [
      { ...at, name: "ignore_previous" },
      { ...at, name: "ignore_previous" },
      { ...at, name: "ignore_previous", end: 10 },
      { ...at, name: "system_override" },
      { sought: email, text: 0, start: 3, end: 9 },
      { sought: email, text: 1, start: 3, end: 9 }
    ] as Searched["hits"]
    assert.deepEqual(outcomes({ hits }), [
      ["email", 2, undefined],
      ["regex-prompt-injection", 3, undefined],
      ["person-name", 0, undefined]
    ])
  })

  it("looks only at what users wrote where the filter asks for that", () => {
    const name = "ignore_previous"
    const hits = [0, 1].map((text) => ({
      sought: injection,
      text,
      start: 0,
      end: 4,
      name
    })) as unknown as Searched["hits"]
    assert.deepEqual(outcomes({ hits })[1], ["regex-prompt-injection", 1, undefined])
  })

  it("says what could not be looked for, and why, beside what was found", () => {
    const hits = [{ sought: email, text: 0, start: 3, end: 9 }]
    assert.deepEqual(outcomes({ hits, unfinished: [email], detections: undefined }), [
      ["email", 1, "timeout"],
      ["regex-prompt-injection", 0, undefined],
      ["person-name", 0, "detector_unavailable"]
    ])
  })
})
