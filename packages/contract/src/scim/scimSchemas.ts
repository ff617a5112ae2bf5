/**
 * The attributes of users and groups: what `/Schemas` tells, and by which resources are read, filtered and patched.
 *
 * Those of RFC 7643 without `password`, `ims`, `photos` and `x509Certificates`, which Gatewarden does not keep.
 */
import { scimUrns } from "./scim.ts"

export interface ScimAttribute {
  readonly name: string
  readonly type: "string" | "boolean" | "dateTime" | "reference" | "complex"
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: "readWrite" | "readOnly" | "immutable"
  readonly returned: "default" | "always" | "request"
  readonly uniqueness: "none" | "server"
  readonly referenceTypes?: readonly string[]
  readonly subAttributes?: readonly ScimAttribute[]
}

export interface ScimSchema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: readonly ScimAttribute[]
}

const attribute = (name: string, description: string, more: Partial<ScimAttribute> = {}): ScimAttribute => ({
  name,
  type: "string",
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more
})

const complex = (
  name: string,
  description: string,
  subAttributes: readonly ScimAttribute[],
  more: Partial<ScimAttribute> = {}
) => attribute(name, description, { type: "complex", subAttributes, ...more })

const type = attribute("type", "What the value is for, such as work or home.")
const primary = attribute("primary", "Whether this is the preferred value; one at most is.", { type: "boolean" })
const display = attribute("display", "How the value is shown to people.")

const several = (name: string, description: string, value: string) =>
  complex(name, description, [attribute("value", value), display, type, primary], { multiValued: true })

export const scimUserSchema: ScimSchema = {
  id: scimUrns.user,
  name: "User",
  description: "User Account",
  attributes: [
    attribute("userName", "The name by which the directory knows the user. The first one is the id of the user here.", {
      required: true,
      uniqueness: "server"
    }),
    complex("name", "The parts of the user's name.", [
      attribute("formatted", "The full name."),
      attribute("familyName", "The family name."),
      attribute("givenName", "The given name."),
      attribute("middleName", "The middle names."),
      attribute("honorificPrefix", "Titles before the name."),
      attribute("honorificSuffix", "Titles after the name.")
    ]),
    attribute("displayName", "The name that is shown to people."),
    attribute("nickName", "What the user is called."),
    attribute("profileUrl", "The address of a page on the user.", { type: "reference", referenceTypes: ["external"] }),
    attribute("title", "The user's title, such as Vice President."),
    attribute("userType", "The relation to the organization, such as Employee."),
    attribute("preferredLanguage", "The preferred language, as Accept-Language has it."),
    attribute("locale", "The locale, as RFC 5646 names it."),
    attribute("timezone", "The time zone, as in Europe/Berlin."),
    attribute("active", "Whether the user may act.", { type: "boolean" }),
    several("emails", "E-mail addresses.", "An address."),
    several("phoneNumbers", "Phone numbers.", "A number."),
    complex(
      "addresses",
      "Postal addresses.",
      [
        attribute("formatted", "The whole address."),
        attribute("streetAddress", "Street and number."),
        attribute("locality", "The city."),
        attribute("region", "The state or region."),
        attribute("postalCode", "The postal code."),
        attribute("country", "The country, as ISO 3166-1 has it."),
        type,
        primary
      ],
      { multiValued: true }
    ),
    complex(
      "groups",
      "The groups that the user is in.",
      [
        attribute("value", "The id of the group.", { mutability: "readOnly", caseExact: true }),
        attribute("$ref", "The group.", { type: "reference", referenceTypes: ["Group"], mutability: "readOnly" }),
        attribute("display", "The name of the group.", { mutability: "readOnly" })
      ],
      { multiValued: true, mutability: "readOnly" }
    ),
    several("entitlements", "What the user is entitled to.", "An entitlement."),
    several("roles", "The user's roles in the directory; they give no rights here.", "A role.")
  ]
}

export const scimEnterpriseSchema: ScimSchema = {
  id: scimUrns.enterpriseUser,
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: [
    attribute("employeeNumber", "The number of the employee."),
    attribute("costCenter", "The cost center."),
    attribute("organization", "The organization."),
    attribute("division", "The division."),
    attribute("department", "The department."),
    complex("manager", "The user's manager.", [
      attribute("value", "The id of the manager.", { caseExact: true }),
      attribute("$ref", "The manager.", { type: "reference", referenceTypes: ["User"] }),
      attribute("displayName", "The name of the manager.", { mutability: "readOnly" })
    ])
  ]
}

export const scimGroupSchema: ScimSchema = {
  id: scimUrns.group,
  name: "Group",
  description: "Group",
  attributes: [
    attribute("displayName", "The name of the group.", { required: true, uniqueness: "server" }),
    complex(
      "members",
      "The users in the group.",
      [
        attribute("value", "The id of the user.", { mutability: "immutable", caseExact: true }),
        attribute("$ref", "The user.", { type: "reference", referenceTypes: ["User"], mutability: "readOnly" }),
        attribute("display", "The name of the user.", { mutability: "readOnly" })
      ],
      { multiValued: true }
    )
  ]
}

/** Of every resource; RFC 7643 3.1. They are no part of a schema. */
export const scimCommonAttributes: readonly ScimAttribute[] = [
  attribute("id", "The id here.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server"
  }),
  attribute("externalId", "The id in the directory.", { caseExact: true }),
  complex(
    "meta",
    "When the resource was made and changed.",
    [
      attribute("resourceType", "User or Group.", { caseExact: true, mutability: "readOnly" }),
      attribute("created", "When it was made.", { type: "dateTime", mutability: "readOnly" }),
      attribute("lastModified", "When it was changed.", { type: "dateTime", mutability: "readOnly" }),
      attribute("location", "Where it is.", { type: "reference", referenceTypes: ["uri"], mutability: "readOnly" })
    ],
    { mutability: "readOnly" }
  )
]

export const scimSchemas: readonly ScimSchema[] = [scimUserSchema, scimEnterpriseSchema, scimGroupSchema]
