/** OpenAI's chat completions. */
import { type ApiForm, textOf, type Written } from "./ApiForm.ts"

const head = { id: "cmpl-1", created: 1_700_000_000, model: "scripted" }

const callOf = (written: Written, index: number) =>
  written.kind === "call"
    ? [{ id: `call_${index}`, type: "function", function: { name: written.name, arguments: textOf(written) } }]
    : []

const finishOf = (written: readonly Written[]) => (written.some(({ kind }) => kind === "call") ? "tool_calls" : "stop")

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...head,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }]
})

const piecesOf = (written: Written, index: number): readonly object[] => {
  if (written.kind !== "call") return written.pieces.map((content) => chunk({ content }))
  const [made] = callOf(written, index)
  const named = { ...made, index, function: { name: written.name, arguments: "" } }
  const tools = [named, ...written.pieces.map((piece) => ({ index, function: { arguments: piece } }))]
  return tools.map((tool) => chunk({ tool_calls: [tool] }))
}

const pieceIn = (event: object | "[DONE]"): boolean =>
  typeof event === "object" && /"(?:content|arguments)":"[^"]/.test(JSON.stringify(event))

export const chatForm: ApiForm = {
  path: "/chat/completions",
  answer: (written, usage) => {
    const texts = written.filter(({ kind }) => kind === "text").map(textOf)
    const tool_calls = written.flatMap(callOf)
    const content = texts.length === 0 ? null : texts.join("")
    const message = { role: "assistant", content, ...(tool_calls.length === 0 ? {} : { tool_calls }) }
    const choices = [{ index: 0, message, finish_reason: finishOf(written) }]
    return { ...head, object: "chat.completion", choices, ...(usage === undefined ? {} : { usage }) }
  },
  events: (written, usage) => [
    ...written.flatMap(piecesOf),
    chunk({}, finishOf(written)),
    ...(usage === undefined ? [] : [{ ...head, object: "chat.completion.chunk", choices: [], usage }]),
    "[DONE]"
  ],
  isPiece: pieceIn,
  error: (_, message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } })
}
