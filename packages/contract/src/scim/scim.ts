/**
 * What all operations of SCIM 2.0 share: names of its schemas, its media type, and the forms of lists and errors.
 *
 * Rule: scim#protocol. Source: RFC 7643, RFC 7644.
 */
import * as z from "zod"
import { reasons, type Reason } from "../reasons.ts"
import { type ErrorEnvelope, Issue } from "../error.ts"
import { maxJsonValues } from "../operation.ts"
import { documentedAs } from "../primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  schemas: "URNs of the schemas of this object."
} as const

/** Below it every answer is SCIM's, errors included. */
export const scimPath = "/scim/v2"

export const scimMediaType = "application/scim+json"

export const scimUrns = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  enterpriseUser: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  resourceType: "urn:ietf:params:scim:schemas:core:2.0:ResourceType",
  schema: "urn:ietf:params:scim:schemas:core:2.0:Schema",
  serviceProviderConfig: "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
  list: "urn:ietf:params:scim:api:messages:2.0:ListResponse",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  error: "urn:ietf:params:scim:api:messages:2.0:Error"
} as const

/** Bounds of the protocol, which `ServiceProviderConfig` and the rules tell. */
export const scimLimits = {
  /** Resources on a page, also where `count` asks for more. */
  page: 200,
  /** Resources that a filter may look at. */
  examined: 1_000,
  filterCharacters: 2_048,
  /** Comparisons in a filter. */
  filterTerms: 50,
  filterDepth: 20,
  patchOperations: 1_000,
  /** Values of an attribute that may have several. */
  values: 100,
  textCharacters: 1_024,
  /** Members of a group. */
  members: 10_000
} as const

/** A JSON body, also under SCIM's own media type. */
export const scimJson = <S extends z.ZodType>(schema: S) =>
  ({ kind: "json", schema, maxBytes: 1_048_576, maxValues: maxJsonValues, mediaType: scimMediaType }) as const

/** A resource as a client sends it: attributes are read by the resource's schema, whatever the case of their names. */
const sentResource = (
  id: string,
  description: string,
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[]
) => z.looseObject({}).meta({ id, description, [documentedAs]: { type: "object", properties, required } })

const string = (description: string) => ({ type: "string", description })
const flag = (description: string) => ({ type: "boolean", description })
const emails = {
  type: "array",
  description: "E-mail addresses of the user.",
  items: {
    type: "object",
    properties: {
      value: string("The e-mail address itself."),
      type: string("Purpose of the address, such as `work`."),
      primary: flag("Whether this is the preferred address.")
    }
  }
}
const externalId = string("Id that the directory gives the resource.")

export const ScimUserInput = sentResource(
  "ScimUserInput",
  "A user as a directory sends it. `Schemas` lists all attributes.",
  {
    userName: string(
      "Unique name of the user in the directory. The first one becomes the id of the user in the account."
    ),
    externalId,
    active: flag("Whether the user may act."),
    displayName: string("Name that is shown to people."),
    name: {
      type: "object",
      description: "Parts of the user's name.",
      properties: {
        givenName: string("Given name of the user."),
        familyName: string("Family name of the user."),
        formatted: string("Full name of the user.")
      }
    },
    emails
  },
  ["userName"]
)

export const ScimGroupInput = sentResource(
  "ScimGroupInput",
  "A group as a directory sends it. `Schemas` lists all attributes.",
  {
    displayName: string("Name of the group."),
    externalId,
    members: {
      type: "array",
      description: "Users in the group.",
      items: {
        type: "object",
        properties: { value: string("Id of the directory user.") },
        required: ["value"]
      }
    }
  },
  ["displayName"]
)

export const ScimPatch = z.looseObject({}).meta({
  id: "ScimPatch",
  description: "Changes of a resource, in the form of RFC 7644 3.5.2.",
  [documentedAs]: {
    type: "object",
    properties: {
      schemas: { type: "array", items: { type: "string" }, description: "URN of the schema of patches." },
      Operations: {
        type: "array",
        description: "Operations, applied in this order.",
        items: {
          type: "object",
          properties: {
            op: {
              type: "string",
              enum: ["add", "replace", "remove"],
              description: "Kind of the operation, in any case."
            },
            path: string("Attribute that the operation changes, with a filter for one of several values."),
            value: { description: "New value of the attribute, or attributes by name if there is no `path`." }
          },
          required: ["op"]
        }
      }
    },
    required: ["Operations"]
  }
})

export const ScimUser = z
  .looseObject({
    schemas: z.array(z.string()).describe(about.schemas),
    id: z.string().describe("Id of the directory user, a UUID.")
  })
  .meta({
    id: "ScimUser",
    description: "A directory user. Its attributes depend on the request; `Schemas` lists them."
  })
export type ScimUser = z.output<typeof ScimUser>

export const ScimGroup = z
  .looseObject({
    schemas: z.array(z.string()).describe(about.schemas),
    id: z.string().describe("Id of the directory group, a UUID.")
  })
  .meta({
    id: "ScimGroup",
    description: "A directory group. Its attributes depend on the request; `Schemas` lists them."
  })
export type ScimGroup = z.output<typeof ScimGroup>

export const scimListOf = <T extends z.ZodType>(item: T) =>
  z.object({
    schemas: z.array(z.string()).describe(about.schemas),
    totalResults: z.int().describe("Number of resources that match on all pages together."),
    startIndex: z.int().describe("Position of the first resource on the page, from 1."),
    itemsPerPage: z.int().describe("Number of resources on the page."),
    Resources: z.array(item).describe("Resources of the page.")
  })

const integer = (description: string) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, "Expected an integer")
    .transform(Number)
    .optional()
    .meta({ description, [documentedAs]: { type: "integer" } })

const names = (description: string) => z.string().max(2_048).optional().meta({ description })

export const scimProjection = {
  attributes: names("Names of attributes, separated by commas. The response has only these."),
  excludedAttributes: names("Names of attributes, separated by commas. The response does not have these.")
}

export const scimQuery = z.object({
  filter: z.string().optional().meta({
    description: 'Condition that the resources must meet, in the language of RFC 7644 3.4.2.2: `userName eq "ada"`.'
  }),
  startIndex: integer("Position of the first resource on the page, from 1. Default: 1."),
  count: integer("Maximum number of resources on the page, at most 200. 0 only counts."),
  ...scimProjection
})
export type ScimQuery = z.output<typeof scimQuery>

export const scimId = z.object({ id: z.guid().toLowerCase().describe("Id of the resource, a UUID.") })

/** Which kind of error of RFC 7644 3.12 a reason is; one that is not listed has none. */
export const scimTypes: Partial<Record<Reason, string>> = {
  invalid_json: "invalidSyntax",
  invalid_request: "invalidValue",
  invalid_filter: "invalidFilter",
  filter_too_wide: "tooMany",
  invalid_attribute_path: "invalidPath",
  no_such_value: "noTarget",
  read_only_attribute: "mutability",
  directory_name_taken: "uniqueness"
}

export const ScimError = z
  .object({
    schemas: z.array(z.string()).describe(about.schemas),
    status: z.string().describe("HTTP status of the response, as a decimal string."),
    scimType: z.string().optional().describe("Kind of the error of RFC 7644 3.12. Absent: none fits."),
    detail: z.string().describe("Text of the error."),
    metadata: z
      .object({
        request_id: z.string().describe("Id of the request, as in the header `X-Request-Id`."),
        reason: z
          .enum(Object.keys(reasons) as [Reason, ...Reason[]])
          .describe("Name of the cause. One status has several causes; the page behind `doc_url` explains each."),
        doc_url: z
          .string()
          .describe(
            "Address of a page on the cause. Resolve it against the URL of the request, unless it is absolute."
          ),
        issues: z.array(Issue).describe("Every broken rule of the request. Empty if the error concerns no field.")
      })
      .describe("Cause of the error, for programs.")
  })
  .meta({
    id: "ScimError",
    description: "Body of an error below `/scim/v2`, in the form of RFC 7644 3.12 with the cause in `metadata`."
  })
export type ScimError = z.output<typeof ScimError>

/** An error in the form of SCIM. One without `metadata` stays as it is. */
export const scimErrorOf = (envelope: ErrorEnvelope): ScimError | ErrorEnvelope => {
  const { code, message, metadata } = envelope.error
  if (metadata === undefined || metadata === null) return envelope
  const scimType = scimTypes[metadata.reason]
  const details = metadata.issues.map((issue) =>
    issue.path === "" ? issue.message : `${issue.path}: ${issue.message}`
  )
  return {
    schemas: [scimUrns.error],
    status: String(code),
    ...(scimType === undefined ? {} : { scimType }),
    detail: details.length === 0 ? message : `${message}: ${details.join("; ")}`,
    metadata
  }
}
