/** An error as callers of an OpenAI-compatible API read it, in the envelope of the management API. */
export const refusal = (
  status: number,
  message: string,
  metadata?: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {}
): Response =>
  Response.json(
    { error: { code: status, message, ...(metadata === undefined ? {} : { metadata }) } },
    { status, headers: { ...headers } }
  )
