/** The address of a path below a base, which may end with slashes, or with the beginning of the path. */
export const below = (base: string, path: string): string => {
  const root = base.replace(/\/+$/, "")
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1))
    if (root.endsWith(path.slice(0, at))) return root + path.slice(at)
  return root + path
}
