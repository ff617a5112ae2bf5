-- Appends changes of gatewarden_credit_grant to the stream of changes, with whoever acts. A writer waits for it, and PostgreSQL prepares
-- each expression of a trigger anew in each transaction: so it is one insert of rows that PostgreSQL prints as JSON by itself, and a
-- function for each table. Decimal strings: nano-dollars may be more than a number of JavaScript holds.
create or replace function gatewarden_record_credit_grant() returns trigger language plpgsql volatile as $body$
declare
  acts text := current_setting('gatewarden.acting', true);
begin
  if tg_op = 'UPDATE' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'credit_grant', 'update', new.id, null,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      (select row_to_json(whole) from (
        select old.*, trim_scale(old.amount_nanos * 0.000000001)::text as amount_usd,
          trim_scale(old.total_nanos * 0.000000001)::text as total_usd
      ) whole),
      (select row_to_json(whole) from (
        select new.*, trim_scale(new.amount_nanos * 0.000000001)::text as amount_usd,
          trim_scale(new.total_nanos * 0.000000001)::text as total_usd
      ) whole)
    );
  elsif tg_op = 'INSERT' then
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      new.account_id, 'credit_grant', 'create', new.id, null,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || new.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      null,
      (select row_to_json(whole) from (
        select new.*, trim_scale(new.amount_nanos * 0.000000001)::text as amount_usd,
          trim_scale(new.total_nanos * 0.000000001)::text as total_usd
      ) whole)
    );
  else
    insert into gatewarden_changes (account_id, noun, action, id, workspace_id, acting, before, after) values (
      old.account_id, 'credit_grant', 'delete', old.id, null,
      case when starts_with(acts, E'\x1e')
      then split_part(split_part(acts, E'\x1e' || old.id || E'\x1f', 2), E'\x1e', 1)
      else acts end,
      (select row_to_json(whole) from (
        select old.*, trim_scale(old.amount_nanos * 0.000000001)::text as amount_usd,
          trim_scale(old.total_nanos * 0.000000001)::text as total_usd
      ) whole),
      null
    );
  end if;
  return null;
end
$body$
