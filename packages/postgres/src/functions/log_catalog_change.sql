-- Records that the installation's catalog was written, which belongs to no account.
create or replace function gatewarden_log_catalog_change() returns trigger language plpgsql volatile as $body$
begin
  insert into gatewarden_changes (account_id, noun, action, id, acting, after)
    select null, 'catalog', 'update', '', current_setting('gatewarden.acting', true), json_build_object('models', count(*))
    from changed having count(*) > 0;
  return null;
end
$body$
