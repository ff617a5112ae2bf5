/** The cases of what a SCIM client asks about the service. Rule: scim#discovery. */
import { type OperationId, scimUrns } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, type CasesOf, managementOnly } from "../http/Case.ts"
import type { Answer, Call } from "../World.ts"

const answers = (operation: OperationId, call: Call, check: (answer: Answer) => void): Case => ({
  name: "what the service tells",
  status: 200,
  run: (world) => world.call(operation, call),
  check
})

const absent = (operation: OperationId): Case => ({
  name: "what there is not",
  status: 404,
  run: (world) => world.call(operation, { params: { id: "Device" } })
})

const idsOf = ({ json }: Answer) => json.Resources.map(({ id }: { id: string }) => id)

export const scimDiscoveryCases: readonly CasesOf[] = [
  {
    operation: "getScimServiceProviderConfig",
    cases: [
      answers("getScimServiceProviderConfig", {}, ({ json, headers }) => {
        assert.match(headers.get("content-type") ?? "", /^application\/scim\+json/)
        assert.isTrue(json.patch.supported)
        assert.isTrue(json.filter.supported)
        for (const name of ["bulk", "sort", "etag", "changePassword"]) assert.isFalse(json[name].supported)
      }),
      ...managementOnly("getScimServiceProviderConfig", () => ({}))
    ]
  },
  {
    operation: "listScimResourceTypes",
    cases: [
      answers("listScimResourceTypes", {}, (answer) => assert.deepEqual(idsOf(answer), ["User", "Group"])),
      ...managementOnly("listScimResourceTypes", () => ({}))
    ]
  },
  {
    operation: "getScimResourceType",
    cases: [
      answers("getScimResourceType", { params: { id: "Group" } }, ({ json }) =>
        assert.deepInclude(json, { endpoint: "/Groups", schema: scimUrns.group })
      ),
      absent("getScimResourceType"),
      ...managementOnly("getScimResourceType", () => ({ params: { id: "User" } }))
    ]
  },
  {
    operation: "listScimSchemas",
    cases: [
      answers("listScimSchemas", {}, (answer) =>
        assert.deepEqual(idsOf(answer), [scimUrns.user, scimUrns.enterpriseUser, scimUrns.group])
      ),
      ...managementOnly("listScimSchemas", () => ({}))
    ]
  },
  {
    operation: "getScimSchema",
    cases: [
      answers("getScimSchema", { params: { id: scimUrns.user } }, ({ json }) => {
        const names = json.attributes.map(({ name }: { name: string }) => name)
        assert.include(names, "userName")
        assert.notInclude(names, "password")
      }),
      absent("getScimSchema"),
      ...managementOnly("getScimSchema", () => ({ params: { id: scimUrns.user } }))
    ]
  }
]
