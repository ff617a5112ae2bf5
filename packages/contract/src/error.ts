/**
 * The envelope of every error, and the closed list of statuses.
 *
 * Rule: errors#envelope, errors#messages.
 */
import * as z from "zod"
import { type Reason, reasons } from "./reasons.ts"

/** Every error status and the exact text of `error.message` that goes with it. */
export const errorMessages = {
  400: "Invalid request parameters",
  401: "Missing Authentication header",
  402: "Insufficient credits",
  403: "Only management keys can perform this operation",
  404: "Resource not found",
  405: "Method not allowed",
  408: "Operation timed out. Please try again later.",
  409: "Resource conflict. Please try again later.",
  410: "Operation no longer available",
  413: "Request payload too large",
  415: "Unsupported media type",
  429: "Rate limit exceeded",
  500: "Internal Server Error",
  502: "Provider returned error",
  503: "Service temporarily unavailable"
} as const

export type ErrorStatus = keyof typeof errorMessages

/**
 * Statuses that any request may get, in addition to those that its operation declares (Rule: requests#statuses-of-every-request): 408 and
 * 429 by a body that arrives too slowly, or beside too much else of its key.
 */
export const globalStatuses = [404, 405, 408, 413, 415, 429, 503] as const satisfies readonly ErrorStatus[]

/** One broken rule. `path` is dotted, from the body's root; query and path parameters start with `query.` and `path.`. */
export const Issue = z.object({
  path: z
    .string()
    .describe(
      "Field that breaks the rule, dotted from the root of the body: `content_filters.1.pattern`. Query and path parameters begin with `query.` and `path.`, headers with `header.`. Empty: the body as a whole."
    ),
  code: z.string().describe("Machine-readable name of the broken rule, such as `too_long`."),
  message: z.string().describe("The broken rule as a sentence for people.")
})
export type Issue = z.output<typeof Issue>

/** Why a request was refused. */
export const ErrorReason = z.enum(Object.keys(reasons) as [Reason, ...Reason[]])

/** Leads to a page on the reason. A URL reference: resolve it against the URL of the request (RFC 3986 5). */
export const docUrl = z.string().meta({
  description: "Address of a page on the reason. Resolve it against the URL of the request, unless it is absolute."
})

export const ErrorEnvelope = z
  .object({
    error: z
      .object({
        code: z.int().describe("The HTTP status of the response."),
        message: z
          .string()
          .describe("Text of the error. It depends on the status alone, unless a denial has a text of its own."),
        metadata: z
          .object({
            request_id: z
              .string()
              .describe("Id of the request, as in the header `X-Request-Id`. Quote it to the operator of the server."),
            reason: ErrorReason.describe(
              "Name of the cause. One status has several causes; the page behind `doc_url` explains each."
            ),
            doc_url: docUrl,
            issues: z.array(Issue).describe("Every broken rule of the request. Empty if the error concerns no field.")
          })
          .nullable()
          .optional()
          .describe("Cause of the error, for programs. Errors from a provider or another data plane may lack it.")
      })
      .describe("The error of the request.")
  })
  .meta({ id: "ErrorEnvelope", description: "The body of every error answer; `code` equals the HTTP status." })
export type ErrorEnvelope = z.output<typeof ErrorEnvelope>
