/** The OpenAPI document, as an operation. Rule: operating#variables, requests#body-sizes. */
import * as z from "zod"
import { operation } from "./operation.ts"

export const getOpenApi = operation({
  id: "getOpenApi",
  method: "GET",
  path: "/openapi.json",
  tag: "Service",
  changes: "nothing",
  summary: "This document",
  access: "anyone",
  success: { schema: z.looseObject({ openapi: z.string().describe("Version of the OpenAPI format.") }), etag: true },
  errors: [],
  example: { response: { openapi: "3.1.0" } }
})
