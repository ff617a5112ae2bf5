/** A resource of the public Terraform provider: its attributes, and the calls that each step of a life makes. */

/** How the provider decodes a value. Another type of JSON ends the run, as does a word that is not in `oneOf`. */
export type Form = "text" | "number" | "flag" | "instant" | "texts" | "numbers" | "object" | "objects"

export interface Attribute {
  readonly form: Form
  readonly given: "required" | "optional" | "computed"
  /** The provider decodes `null`. Without it, `null` becomes an empty value, which differs from the plan. */
  readonly nullable?: true
  /** A change destroys the object and creates another one. */
  readonly replaces?: true
  readonly oneOf?: readonly string[]
  /** Its name in JSON. Default: the name of the attribute. */
  readonly field?: string
  /** Beside `data`, not in it. */
  readonly beside?: true
  /** The state keeps what was planned: no answer has it, or the provider does not decode it. */
  readonly unread?: true
  /** Only in the answer to the creation, and beside `data`. */
  readonly once?: true
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** `{name}` is the value of an attribute. */
  readonly path: string
  readonly status: 200 | 201
  /** Attributes in the body; those that have no value are left out. */
  readonly sends?: readonly string[]
  /** Attributes in the body as a list of one, by the name of the list. */
  readonly sendsInList?: Readonly<Record<string, string>>
  /** Attributes in the query, if they have a value, by the name of the parameter. */
  readonly query?: Readonly<Record<string, string>>
  /** What is taken from the answer. Default: every attribute that it has. Or: attributes, each with its field of `data`. */
  readonly takes?: "nothing" | Readonly<Record<string, string>>
  /** The object is the item of a list, read in pages of 100, that has these attributes as these fields. */
  readonly finds?: Readonly<Record<string, string>>
  /** A count in the answer that must be 1. */
  readonly counts?: string
  /** 404 is an object that exists and was never written. */
  readonly absentIsUnwritten?: true
}

export interface ProviderResource {
  /** Its file in `internal/provider`, and the commit of the version that was read. */
  readonly file: string
  readonly commit: string
  readonly attributes: Readonly<Record<string, Attribute>>
  readonly create: readonly Call[]
  readonly read: readonly Call[]
  /** None: every attribute replaces. */
  readonly update: readonly Call[]
  /** None: the provider only forgets the object. */
  readonly destroy: readonly Call[]
  /** Attributes that the id of an import consists of. None: it cannot be imported. */
  readonly importedBy: readonly string[]
}

/** The calls of a life, in its order; each request once. */
export const callsOf = ({ create, read, update, destroy }: ProviderResource): readonly Call[] => [
  ...new Map([...create, ...read, ...update, ...destroy].map((call) => [`${call.method} ${call.path}`, call])).values()
]

/** What attributes are made of. */

export const text = { form: "text" } as const
export const number = { form: "number" } as const
export const flag = { form: "flag" } as const
export const texts = { form: "texts" } as const
export const instant = { form: "instant" } as const
export const required = { given: "required" } as const
export const optional = { given: "optional" } as const
export const computed = { given: "computed" } as const
export const nullable = { nullable: true } as const
export const replaces = { replaces: true } as const

export const intervals = { oneOf: ["daily", "weekly", "monthly"] } as const
export const roles = { oneOf: ["admin", "member"] } as const
