/** Options of every store on SQL. */
export interface StoreOptions {
  /**
   * What a start does about the schema: bring it up to date (`auto`, the default), refuse one that is not (`check`, for
   * those who run `gatewarden migrate` themselves), or nothing (`off`).
   */
  readonly migrate?: "auto" | "check" | "off" | undefined
}
