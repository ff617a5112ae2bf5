/** What a model writes in the form of one API: as a whole, and as the events of a stream. */
import type { ServerResponse } from "node:http"
import { type ChatScript, type ChatUsage, json, sendEvent, startStream } from "./chatUpstream.ts"

/** In the pieces in which it is streamed. */
export type Written =
  | { readonly kind: "text" | "thinking"; readonly pieces: readonly string[] }
  /** A call of a tool, whose arguments are JSON. */
  | { readonly kind: "call"; readonly name: string; readonly pieces: readonly string[] }

export interface ApiForm {
  /** Below a base URL. */
  readonly path: string
  /** Without `usage` it counts nothing. */
  readonly answer: (written: readonly Written[], usage?: ChatUsage) => object
  readonly events: (written: readonly Written[], usage?: ChatUsage) => readonly (object | "[DONE]")[]
  /** Whether an event brings a piece of what is written. */
  readonly isPiece: (event: object | "[DONE]") => boolean
  readonly error: (status: number, message: string) => object
}

export const textOf = ({ pieces }: Written): string => pieces.join("")

export const text = (...pieces: readonly string[]): Written => ({ kind: "text", pieces })
export const thinking = (...pieces: readonly string[]): Written => ({ kind: "thinking", pieces })
export const call = (name: string, ...pieces: readonly string[]): Written => ({ kind: "call", name, pieces })

export const answers =
  (form: ApiForm, written: readonly Written[], usage?: ChatUsage): ChatScript =>
  (_, response) =>
    json(response, 200, form.answer(written, usage))

export const refuses =
  (form: ApiForm, status: number, message = "scripted"): ChatScript =>
  (_, response) =>
    json(response, status, form.error(status, message))

/** Events that have a `type` are named after it. */
const write = (response: ServerResponse, event: object | "[DONE]"): void => {
  const type: unknown = typeof event === "object" ? Reflect.get(event, "type") : undefined
  if (typeof type === "string") response.write(`event: ${type}\n`)
  sendEvent(response, event)
}

/** A stream of these events, to its end. */
export const sends =
  (events: readonly (object | "[DONE]")[]): ChatScript =>
  (_, response) => {
    startStream(response)
    for (const event of events) write(response, event)
    response.end()
  }

export const streamsAs = (form: ApiForm, written: readonly Written[], usage?: ChatUsage): ChatScript =>
  sends(form.events(written, usage))

/** Sends the events up to the first piece, and the others when it may. */
export const waits =
  (form: ApiForm, written: readonly Written[], usage: ChatUsage, promise: Promise<void>): ChatScript =>
  async (_, response) => {
    startStream(response)
    const events = form.events(written, usage)
    const first = events.findIndex(form.isPiece) + 1
    for (const event of events.slice(0, first)) write(response, event)
    await promise
    for (const event of events.slice(first)) write(response, event)
    response.end()
  }

/** Sends the events up to the first piece, and closes the connection. */
export const breaksOff =
  (form: ApiForm, written: readonly Written[], usage?: ChatUsage): ChatScript =>
  (_, response) => {
    startStream(response)
    const events = form.events(written, usage)
    for (const event of events.slice(0, events.findIndex(form.isPiece) + 1)) write(response, event)
    // What is written so far arrives.
    response.write("\n", () => response.destroy())
  }
