/** What is wrong, or most likely not meant, in an environment. */
import { readConfiguration, type ConfigurationSources, type Configuration } from "../config/readConfiguration.ts"
import { addressProblem, isLoopback } from "../config/addressProblem.ts"
import { failure, fine, type Finding, warning } from "./Finding.ts"

const mends: Readonly<Record<string, string>> = {
  GATEWARDEN_KEYRING:
    'export GATEWARDEN_KEYRING="k1:$(openssl rand -base64 32)", or the keyring that the store was made with',
  GATEWARDEN_REGION_HOSTS: "export GATEWARDEN_REGION_HOSTS=eu.example.com=europe,us.example.com=us"
}

const errorFinding = (line: string): Finding => {
  const [name = ""] = line.split(/[: ]/, 1)
  const [detail = line, expected] = line.split("; expected ")
  return failure(
    "configuration",
    detail,
    mends[name] ?? `set ${name} to ${expected ?? "something else"}`,
    "configuration"
  )
}

const warningFinding = (line: string): Finding => {
  const unknown = /^(\S+) is not a variable of Gatewarden(?:; did you mean (\S+)\?)?/.exec(line)
  if (unknown?.[1] !== undefined)
    return warning(
      "configuration",
      line,
      unknown[2] === undefined ? `unset ${unknown[1]}` : `rename ${unknown[1]} to ${unknown[2]}`
    )
  if (line.includes("DATABASE_URL is not"))
    return warning("configuration", line, "export DATABASE_URL=postgres://user:password@host:5432/database")
  if (line.includes("GATEWARDEN_FILE_STORAGE is not"))
    return warning("configuration", line, "export GATEWARDEN_FILE_STORAGE=s3://bucket/prefix")
  return warning("configuration", line, "unset the one that is not meant")
}

/** Settings that are valid each by itself. */
const combined = ({ values }: Configuration): readonly Finding[] => [
  ...[addressProblem(values) ?? []]
    .flat()
    .map((problem) =>
      warning(
        "public address",
        problem,
        "export GATEWARDEN_PUBLIC_URL=https://gateway.example.com/api/v1, the address of the base path as clients know it; or GATEWARDEN_AUTH_PAGE=0"
      )
    ),
  ...(values.GATEWARDEN_ALLOW_PRIVATE_NETWORKS && !isLoopback(values.HOST)
    ? [
        warning(
          "private networks",
          `Outgoing calls may reach private addresses, and the server listens on ${values.HOST}: anyone who can create a destination reaches your network`,
          "unset GATEWARDEN_ALLOW_PRIVATE_NETWORKS"
        )
      ]
    : []),
  ...(values.GATEWARDEN_TRUST_PROXY > 0 && values.GATEWARDEN_REGION_HOSTS === undefined
    ? [
        warning(
          "regions",
          "GATEWARDEN_TRUST_PROXY has no effect without GATEWARDEN_REGION_HOSTS",
          "unset GATEWARDEN_TRUST_PROXY"
        )
      ]
    : [])
]

export const judgeConfiguration = (sources: ConfigurationSources) => {
  const result = readConfiguration(sources)
  if ("errors" in result) return { configuration: undefined, findings: result.errors.map(errorFinding) }
  const { configuration } = result
  const findings = [...configuration.warnings.map(warningFinding), ...combined(configuration)]
  return {
    configuration,
    findings: findings.length === 0 ? [fine("configuration", "every variable is valid")] : findings
  }
}
