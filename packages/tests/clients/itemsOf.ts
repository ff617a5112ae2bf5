/** What all pages of a list have together, as the public client reads them. */
export const itemsOf = async <P extends { readonly result: { readonly data: readonly unknown[] } }>(
  pages: AsyncIterable<P>
) => {
  const found: P["result"]["data"][number][] = []
  for await (const page of pages) found.push(...page.result.data)
  return found
}
