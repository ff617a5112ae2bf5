-- Whom a request or an event charges, as `spendersOf` of core has them; the entity of a spender that is absent is null.
create or replace function gatewarden_spenders(key text, user_id text, workspace text)
returns table (spender text, entity text) language sql immutable as $body$
  select * from (values ('key', key), ('user', user_id), ('workspace', workspace), ('workspace_user', user_id || ' ' || workspace)) as s
$body$
