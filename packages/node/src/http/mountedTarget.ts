/**
 * The part of a request target that is Gatewarden's, where a host has mounted it under a path of its own.
 *
 * Source: docs/embedding.md: mounts work with the prefix stripped or kept. A mount at a part of the base path, at all of
 * it or below it takes away what the whole target still shows, so the base path is looked for from the left, as far as the
 * mount reaches. Where it is nowhere, the mount stands for it.
 *
 * `/gateway/api/v1/keys` mounted at `/gateway` → `/api/v1/keys`; `/gateway/keys` → `/keys`; `/api/v1/keys` mounted at
 * `/api` → `/api/v1/keys`.
 *
 * @param whole the target as the client sent it
 * @param left what the mount left of it
 */
export const mountedTarget = (basePath: string, whole: string, left: string): string => {
  // What the host has rewritten otherwise is not to be pieced together.
  if (!whole.endsWith(left)) return whole
  if (basePath === "/") return left
  const at = whole.indexOf(`${basePath}/`)
  return at !== -1 && at <= whole.length - left.length ? whole.slice(at) : left
}
