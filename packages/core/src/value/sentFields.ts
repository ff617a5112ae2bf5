/** The fields of a PATCH and the stored values that they set: `null` clears a nullable field and counts as absent for others. */
type Sent<F, Nullable extends keyof F, Lasting extends keyof F> = {
  readonly [K in Nullable]?: Exclude<F[K], undefined>
} & {
  readonly [K in Lasting]?: NonNullable<F[K]>
}

/** The fields that a PATCH sets; absent ones stay (Rule: requests#patches). */
export const sentFields = <F extends object, Nullable extends keyof F, Lasting extends keyof F>(
  fields: F,
  nullable: readonly Nullable[],
  lasting: readonly Lasting[]
): Sent<F, Nullable, Lasting> => {
  const sent: Partial<F> = {}
  for (const name of nullable) if (fields[name] !== undefined) sent[name] = fields[name]
  for (const name of lasting) if (fields[name] !== undefined && fields[name] !== null) sent[name] = fields[name]
  return sent as Sent<F, Nullable, Lasting>
}
