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
