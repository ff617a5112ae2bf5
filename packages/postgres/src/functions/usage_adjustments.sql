-- What adjusts requests of an account between two instants, which are those of the requests; `wanted` is a null row of the table of events.
--
-- The statement is planned with the instants: it opens the partitions between them and no others.
create or replace function gatewarden_usage_adjustments(
  asked_account uuid, requests text[], first timestamptz, last timestamptz, wanted anyelement
)
returns setof anyelement language plpgsql set enable_seqscan = off as $body$
begin
  return query execute 'select e.* from gatewarden_usage_event e
    where e.account_id = $1 and e.adjusts = any ($2) and e.created_at >= $3 and e.created_at <= $4'
    using asked_account, requests, first, last;
end
$body$
