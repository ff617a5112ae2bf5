import type { delta } from "@gatewarden/testkit/upstream/chatUpstream"

/** What a stream told, event by event. */
export const eventsOf = (text: string): readonly string[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""))

/** The text that events bring. */
export const contentOf = (events: readonly string[]): string =>
  events
    .filter((event) => event !== "[DONE]")
    .map((event) => (JSON.parse(event) as ReturnType<typeof delta>).choices[0]?.delta?.content ?? "")
    .join("")
