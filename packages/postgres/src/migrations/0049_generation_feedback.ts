/** What somebody said of a recorded request. It outlives nothing: retention removes it. */
export const generationFeedback = {
  id: 49,
  name: "generation_feedback",
  sql: `
create table gatewarden_generation_feedback (
  account_id uuid not null,
  given_at timestamptz not null,
  id text collate "C" not null,
  category text collate "C" not null,
  comment text collate "C",
  primary key (id, account_id)
);

create index gatewarden_generation_feedback_given on gatewarden_generation_feedback (given_at);
`
} as const
