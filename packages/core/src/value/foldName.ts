/** A name without its case, by which no two users and no two groups of a directory are alike. */
export const foldName = (name: string): string => name.toLowerCase()
