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
  code: z.int().describe("Status of the failed attempt."),
  message: z.string().describe("Text of the failure."),
  provider_name: text.describe("Provider of the failed attempt. `null`: not known."),
  raw: text.describe("Unchanged answer of the provider. `null`: not known.")
})

export const GenerationContent = z
  .object({
    error: z
      .object({
        message: text.describe("Text of the error. `null`: not known."),
        previous_errors: z.array(failedAttempt).describe("Attempts that failed before the last one."),
        provider_name: text.describe("Provider of the last attempt. `null`: not known."),
        raw: text.describe("Unchanged answer of the provider. `null`: not known."),
        status: z.int().nullable().describe("Status of the last attempt. `null`: not known.")
      })
      .nullable()
      .describe("Always `null`: usage events do not store the text of an error."),
    input: z
      .union([
        z.object({ prompt: z.string().describe("The text that the request sent.") }),
        z.object({ messages: z.array(z.unknown()).describe("The messages that the request sent, without media.") })
      ])
      .describe("Input of the request: `prompt` if it sent one text, otherwise `messages`."),
    output: z
      .object({
        completion: text.describe("Text of the answer. `null`: the answer has none."),
        reasoning: text.describe("Reasoning of the model. `null`: the answer has none.")
      })
      .describe("Output of the request.")
  })
  .meta({ id: "GenerationContent", description: "Stored input and output of a recorded request." })
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
  query: z.object({ id: generationId.describe("Id of the usage event.") }),
  success: { schema: dataOf(GenerationContent), long: true },
  errors: [400, 401, 403, 404, 500],
  example: {
    query: { id: "gen-1772366400-9pXcVbQ2tRm7LsWy0KzD" },
    response: {
      data: {
        error: null,
        input: { messages: [{ role: "user", content: "What is 6 by 7?" }] },
        output: { completion: "42", reasoning: null }
      }
    }
  }
})
