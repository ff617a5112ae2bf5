/** What a newcomer reads first: where it is, how to make a key, where the providers' keys come from, and a request to try. */
import type { Started } from "@gatewarden/node"
import { knownUpstreams } from "./knownUpstreams.ts"
import type { Upstreams } from "./Upstream.ts"

const readyOf = (upstreams: Upstreams): readonly string[] =>
  Object.keys(upstreams).filter((slug) => upstreams[slug]?.api_key !== undefined)

/** The providers that the gateway has a key for. */
export const providersOf = (upstreams: Upstreams): string => readyOf(upstreams).join(", ") || "none has a key yet"

export const banner = ({
  url,
  pageUrl,
  upstreams,
  dataDirectory,
  managementKeyFile
}: Started & { readonly upstreams: Upstreams }): string => {
  const ready = readyOf(upstreams)
  const others = Object.entries(knownUpstreams).flatMap(([slug, { variable }]) =>
    ready.includes(slug) ? [] : [variable]
  )
  const key = managementKeyFile === undefined ? "$MANAGEMENT_KEY" : `$(cat ${managementKeyFile})`
  // The command finds this process in the directory of its data, and makes the key there.
  const where =
    dataDirectory === undefined || dataDirectory === "./.gatewarden" ? "" : `GATEWARDEN_DATA_DIR=${dataDirectory} `
  const json = "-H 'Content-Type: application/json'"
  return [
    "",
    `  The gateway listens on ${url}`,
    "",
    `    data          ${dataDirectory ?? "as DATABASE_URL says"}`,
    `    management    at the same address, with ${managementKeyFile === undefined ? "your management key" : `the key in ${managementKeyFile}`}`,
    `    providers     ${providersOf(upstreams)}`,
    ...(pageUrl === undefined ? [] : [`    API page      ${pageUrl}`]),
    "",
    "  1. Make a key, and keep it in a variable:",
    "",
    `       ${where}npx gatewarden keys create --name my-app`,
    "       export KEY=gw-v1-…",
    "",
    ready.length === 0 ? "  2. Give it a provider:" : "  2. More providers:",
    "",
    `       start it with ${others.join(", ")},`,
    "       or bring a key to a workspace, encrypted there and used for it alone:",
    `       curl ${url}/byok -H "Authorization: Bearer ${key}" ${json} \\`,
    `         -d '{"provider":"openai","key":"sk-…"}'`,
    "",
    "  3. Ask:",
    "",
    `       curl ${url}/chat/completions -H "Authorization: Bearer $KEY" ${json} \\`,
    `         -d '{"model":"openai/gpt-4o-mini","max_tokens":100,"messages":[{"role":"user","content":"Hello"}]}'`,
    "",
    "  Prices are those of the sample catalog of November 2025, which are yours to check. Ctrl-C stops it.",
    "",
    ""
  ].join("\n")
}
