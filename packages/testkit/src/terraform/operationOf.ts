/** Which operation of the table answers a call of the Terraform provider. */
import { operations, type OperationShape } from "@gatewarden/contract"
import { type Call, callsOf, type ProviderResource } from "./ProviderResource.ts"

const withoutNames = (path: string): string => path.replaceAll(/\{\w+\}|:\w+/g, "{}")

const byRoute = new Map(
  operations.map(({ method, path, id }: OperationShape) => [withoutNames(`${method} ${path}`), id])
)

export const operationOf = ({ method, path }: Call): string | undefined =>
  byRoute.get(withoutNames(`${method} ${path}`))

/** The requests of a resource that no operation answers: `GET /organization/settings`. */
export const missingCalls = (resource: ProviderResource): readonly string[] =>
  callsOf(resource)
    .filter((call) => operationOf(call) === undefined)
    .map(({ method, path }) => `${method} ${path}`)
