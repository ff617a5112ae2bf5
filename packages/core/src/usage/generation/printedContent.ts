/**
 * Kept bodies in the shape of the public API. Bodies are what the data plane reported, in the format of any API.
 *
 * Rule: usage#prompt-logging.
 */
import type { GenerationContent } from "@gatewarden/contract"
import { outputMessages } from "../../delivery/rendering/messages.ts"
import type { Bodies } from "../../prompt/sealBodies.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** Where requests of the APIs have what they send. */
const places = ["messages", "input", "prompt"]

const inputOf = (input: unknown): GenerationContent["input"] => {
  if (input === undefined || input === null) return { messages: [] }
  if (typeof input === "string") return { prompt: input }
  if (!isFields(input)) return { messages: [...listed(input)] }
  const sent = places.map((name) => input[name]).find((value) => value !== undefined && value !== null)
  if (sent === undefined) return { messages: [input] }
  const system = input["system"] ?? input["instructions"]
  if (system === undefined || system === null)
    return typeof sent === "string" ? { prompt: sent } : { messages: [...listed(sent)] }
  const messages = typeof sent === "string" ? [{ role: "user", content: sent }] : listed(sent)
  return { messages: [{ role: "system", content: system }, ...messages] }
}

const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const joined = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join("\n"))

/** Calls of tools are their JSON, where the model wrote nothing else. */
const outputOf = (output: unknown): GenerationContent["output"] => {
  const parts = (outputMessages(output, "unknown") ?? []).flatMap((message) => message.parts)
  const contents = (type: string) => parts.filter((part) => part.type === type).map((part) => asText(part["content"]))
  const others = parts.filter(({ type }) => type !== "text" && type !== "reasoning")
  return {
    completion: joined(contents("text")) ?? joined(others.map((part) => JSON.stringify(part))),
    reasoning: joined(contents("reasoning"))
  }
}

export const printedContent = ({ input, output }: Bodies): GenerationContent => ({
  error: null,
  input: inputOf(input),
  output: outputOf(output)
})
