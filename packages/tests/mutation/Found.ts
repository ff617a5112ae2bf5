/** A line of the log of a run over mutants. `of`: a mutant's id, or the name of a test that was run for all of its mutants. */
export interface Found {
  readonly kind: "reached" | "loaded" | "begun" | "noticed" | "unsure" | "done"
  readonly of: string
  /** The test. */
  readonly by: string
}
