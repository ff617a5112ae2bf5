/** OpenAI's responses. Nothing is kept between two of them: each brings all that the model reads, so that all of it is decided on. */
import { errorMessages, manyOf } from "@gatewarden/contract"
import { issuesOf } from "@gatewarden/core/effect"
import * as z from "zod"
import { refusal } from "../Answer.ts"
import {
  bearerHeaders,
  countOf,
  type Dialect,
  eventOf,
  type Fields,
  fieldOf,
  hasError,
  isFields,
  keeping,
  type Malformed,
  mediaIn,
  mostIssues,
  onlyKnown,
  type Shaping,
  type StreamShape,
  textsIn
} from "./Dialect.ts"
import { printCost } from "./printUsage.ts"
import { notTaken, presetIssues, requestOf, settingsOf } from "./read.ts"
import { referencesInFields } from "./references.ts"
import { named, restorePieces, restoreTexts } from "./restoreTexts.ts"

const ResponsesRequest = z.looseObject({
  ...requestOf,
  input: z.union([z.string(), manyOf(z.looseObject({}))]),
  instructions: z.string().nullish(),
  tools: manyOf(z.looseObject({})).nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  ...settingsOf,
  top_logprobs: z.int().nullish(),
  parallel_tool_calls: z.boolean().nullish()
})

const forwarded = keeping(
  new Set([
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "max_tool_calls",
    "reasoning",
    "text",
    "temperature",
    "top_p",
    "top_logprobs",
    "truncation",
    "include",
    "service_tier",
    "prompt_cache_key"
  ])
)

/** What refers to something that the gateway does not see. */
const referring = ["previous_response_id", "conversation", "prompt"]

const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0

/** An item that is kept elsewhere: a reference, with or without its type, or an image or a thought without what it is. */
const isKept = ({ type, role, result, summary, content, encrypted_content }: Fields): boolean => {
  if (type == null) return role == null
  if (type === "reasoning") return encrypted_content == null && [summary, content].every(isEmpty)
  return type === "item_reference" || (type === "image_generation_call" && result == null)
}

/** No more than a refusal names. */
const keptItems = (items: readonly Fields[]): Malformed["issues"] => {
  const found: Malformed["issues"][number][] = []
  for (let index = 0; index < items.length && found.length < mostIssues; index++)
    if (isKept(items[index] as Fields))
      found.push(
        notTaken(`input.${index}`, "The gateway keeps no items. Send the item itself, as clients do with store: false")
      )
  return found
}

const read: Dialect["read"] = (sent) => {
  const parsed = ResponsesRequest.safeParse(sent)
  if (!parsed.success) return issuesOf(ResponsesRequest, parsed.error, sent)
  const { data: asked } = parsed
  const { input } = asked
  const issues: Malformed["issues"] = [
    ...presetIssues(asked),
    ...referring
      .filter((name) => asked[name] != null)
      .map((name) => notTaken(name, "The gateway keeps no responses. Send the whole input")),
    ...(asked["background"] === true ? [notTaken("background", "A response is answered to the request itself")] : []),
    ...keptItems(Array.isArray(input) ? input : []),
    ...referencesInFields(asked, ["input", "tools"])
  ]
  if (issues.length > 0) return { issues }
  const { model, models, provider, stream, user, session_id, max_output_tokens } = asked
  return {
    decided: {
      // The model reads the other fields, and nothing else.
      messages: [],
      model,
      models,
      provider,
      stream,
      user,
      session_id,
      max_completion_tokens: max_output_tokens
    },
    forwarded: forwarded(asked),
    form: {}
  }
}

/** To open a page that was found, and to look into it, is no search. */
const isSearch = (item: unknown): boolean =>
  fieldOf(item, "type") === "web_search_call" && (fieldOf(item, "action", "type") ?? "search") === "search"

const usedIn = (response: unknown) => {
  const count = (...path: readonly string[]) => countOf(fieldOf(response, "usage", ...path))
  if (!isFields(fieldOf(response, "usage"))) return undefined
  const output = fieldOf(response, "output")
  return onlyKnown({
    prompt_tokens: count("input_tokens"),
    completion_tokens: count("output_tokens"),
    total_tokens: count("total_tokens"),
    cached_tokens: count("input_tokens_details", "cached_tokens") ?? null,
    cache_write_tokens: count("input_tokens_details", "cache_write_tokens") ?? null,
    reasoning_tokens: count("output_tokens_details", "reasoning_tokens") ?? null,
    server_tool_use: { web_search_requests: Array.isArray(output) ? output.filter(isSearch).length : null }
  })
}

/** The response in an event, or the answer itself. */
const responseIn = (said: Fields): Fields => (isFields(said["response"]) ? said["response"] : said)

/** The last event of a stream, which has the response as a whole. */
const last: ReadonlySet<unknown> = new Set(["response.completed", "response.incomplete"])

const usageOf = ({ spent }: Shaping) => {
  const { used, ...costs } = spent()
  return {
    input_tokens: used.prompt_tokens,
    input_tokens_details: {
      cached_tokens: used.cached_tokens ?? 0,
      cache_write_tokens: used.cache_write_tokens ?? 0
    },
    output_tokens: used.completion_tokens,
    output_tokens_details: { reasoning_tokens: used.reasoning_tokens ?? 0 },
    total_tokens: used.prompt_tokens + used.completion_tokens,
    ...printCost(costs, ["input", "output"])
  }
}

const broken = { code: "server_error", message: errorMessages[502], param: null }

const stream = (shaping: Shaping): StreamShape => {
  const { restore } = shaping
  const pieces = restore && restorePieces(restore)
  let count = 0
  let end: Fields | undefined
  const written = (event: Fields): string => eventOf({ ...event, sequence_number: count++ }, String(event["type"]))
  /** What is left of texts comes before the event that ends them. */
  const shaped = (event: Fields): readonly Fields[] => {
    if (isFields(event["response"])) return [{ ...event, response: named(event["response"], shaping) }]
    if (pieces === undefined || restore === undefined) return [event]
    const { type, delta, output_index, content_index, summary_index } = event
    const [, text, what] = /^(.+)\.(delta|done)$/.exec(String(type)) ?? []
    const place = [text, output_index, content_index, summary_index].join(" ")
    if (what === "delta" && typeof delta === "string")
      return pieces.push(place, delta, text?.endsWith("arguments") === true, (piece) => ({ ...event, delta: piece }))
    const whole = restoreTexts(event, restore) as Fields
    return what === "done" ? [...pieces.end(place), whole] : [whole]
  }
  return {
    push: (event) => {
      // An event of another API may be an error.
      if (typeof event["type"] !== "string") return []
      if (!last.has(event["type"])) return shaped(event).map(written)
      end = event
      return []
    },
    isWhole: () => end !== undefined,
    isLast: () => end !== undefined,
    end: () => (pieces?.endAll() ?? []).map(written),
    done: () => {
      const response = named(responseIn(end ?? {}), shaping)
      return written({ ...end, response: { ...response, usage: usageOf(shaping) } })
    },
    // As the reference has it, and as OpenAI sends it: `openai` throws the latter alone.
    broken: () => written({ type: "error", ...broken, error: { type: "server_error", ...broken } })
  }
}

export const responses: Dialect = {
  name: "responses",
  path: "/responses",
  read,
  forwarded,
  headers: bearerHeaders,
  bodyFor: ({ model, body, cap }) => ({
    ...body,
    model,
    // Nobody could ask for it again, as its id is another here.
    store: false,
    ...(cap === null ? {} : { max_output_tokens: cap })
  }),
  isAnswer: ({ output }) => Array.isArray(output),
  isFailure: (said) =>
    said["type"] === "error" ||
    said["type"] === "response.failed" ||
    [said, responseIn(said)].some((each) => each["status"] === "failed" || hasError(each)),
  reported: (said) => usedIn(responseIn(said)),
  written: ({ type, delta, output }) => textsIn(/(?<!audio)\.delta$/.test(String(type)) ? delta : output).join(""),
  // The response at the end of a stream may have no items.
  searched: ({ type, item }) => (type === "response.output_item.done" && isSearch(item) ? 1 : 0),
  ended: ({ type, item }) => (type === "response.output_item.done" ? textsIn(item).join("") : ""),
  hasMedia: (said) =>
    /audio\.delta$|\.partial_image$/.test(String(said["type"])) ||
    mediaIn([said["item"], said["part"], responseIn(said)["output"]]),
  finished: (said) => {
    const { status, incomplete_details } = responseIn(said)
    if (status === "completed") return "stop"
    if (status !== "incomplete") return undefined
    const reason = fieldOf(incomplete_details, "reason")
    return reason === "max_output_tokens" ? "length" : typeof reason === "string" ? reason : "incomplete"
  },
  whole: (answer, shaping) => ({ ...named(answer, shaping), usage: usageOf(shaping) }),
  stream,
  refusal
}
