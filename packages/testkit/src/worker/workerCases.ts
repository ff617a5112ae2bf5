/** Every case of the HTTP suite, in one order inside a Worker and outside of it. */
import type { Case } from "@gatewarden/conformance/internal/http/Case"
import { protocol } from "@gatewarden/conformance/internal/http/protocol"
import { suites } from "@gatewarden/conformance/internal/http/suites"

export const workerCases: readonly { readonly title: string; readonly cases: readonly Case[] }[] = [
  { title: "every request", cases: protocol },
  // Tokens of workloads are signed by Node.
  ...suites
    .filter(({ operation }) => operation !== "exchangeToken")
    .map(({ operation, cases }) => ({
      title: operation,
      cases: cases.filter(({ signsTokens }) => signsTokens !== true)
    }))
]
