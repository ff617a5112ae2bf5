/** Until when the cells of a span of datasets count that is not over yet: null for a span that was summed whole. */
export const openSpans = {
  id: 66,
  name: "open_spans",
  sql: `
alter table gatewarden_dataset_span add column open_until timestamptz;
`
} as const
