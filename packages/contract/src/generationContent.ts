/**
 * Input and output of a recorded request, in the shapes of the public API.
 *
 * Rule: usage#prompt-logging.
 */
import * as z from "zod"
import { generationId } from "./generation.ts"
import { operation } from "./operation.ts"
import { dataOf } from "./primitives.ts"

const text = z.string().nullable()

/** An attempt that failed before the last one. */
const failedAttempt = z.object({
  code: z.int(),
  message: z.string(),
  provider_name: text,
  raw: text
})

export const GenerationContent = z
  .object({
    /** Always `null`: a usage event has no text of an error. */
    error: z
      .object({
        message: text,
        previous_errors: z.array(failedAttempt),
        provider_name: text,
        raw: text,
        status: z.int().nullable()
      })
      .nullable(),
    /** A prompt if the request sent one text, otherwise its messages. */
    input: z.union([z.object({ prompt: z.string() }), z.object({ messages: z.array(z.unknown()) })]),
    output: z.object({ completion: text, reasoning: text })
  })
  .meta({ id: "GenerationContent" })
export type GenerationContent = z.output<typeof GenerationContent>

export const getGenerationContent = operation({
  id: "getGenerationContent",
  method: "GET",
  path: "/generation/content",
  tag: "Prompts",
  changes: "nothing",
  summary: "Input and output of a recorded request",
  description:
    "What was sent and answered, if the workspace of the request keeps it (`is_observability_io_logging_enabled`) and the time for which it is kept is not over; otherwise 404, as for an unknown id. A restricted key needs `prompts` among its `resources`.",
  access: "managementKey",
  namedResourceOnly: true,
  query: z.object({ id: generationId }),
  success: { schema: dataOf(GenerationContent) },
  errors: [400, 401, 403, 404, 500],
  example: {
    query: { id: "gen-01" },
    response: {
      data: {
        error: null,
        input: { messages: [{ role: "user", content: "What is 6 by 7?" }] },
        output: { completion: "42", reasoning: null }
      }
    }
  }
})
