-- Records that accounts wrote models of their own.
create or replace function gatewarden_log_own_model_change() returns trigger language plpgsql volatile as $body$
begin
  insert into gatewarden_changes (account_id, noun, action, id, acting, after)
    select account_id, 'catalog', 'update', '', current_setting('gatewarden.acting', true), json_build_object('models', count(*))
    from changed group by account_id;
  return null;
end
$body$
