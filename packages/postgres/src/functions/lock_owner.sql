-- Keeps the directory from deactivating a user until the end of the transaction, and answers whether it did so before. The lock comes
-- first, so that what is read was committed under it. A row lock would not do: a user whom the directory creates inactive has no row yet.
create or replace function gatewarden_lock_owner(asked_account uuid, asked_user text)
returns boolean language plpgsql strict as $body$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gatewarden/owner/' || asked_account || '/' || asked_user, 0));
  return exists (
    select from gatewarden_directory_user where account_id = asked_account and user_id = asked_user and not active
  );
end
$body$
