-- The users of each account, each once.
--
-- A user is a name: it exists as long as a key, a membership or the directory names it. Triggers keep gatewarden_named_user: of 100,000
-- keys, a page of 50 users takes 1.5 ms from this table, and took up to 400 ms from the indexes by user. It costs 0.2 ms for a key that is
-- made.

create table gatewarden_named_user (
  account_id uuid not null,
  user_id text collate "C" not null,
  primary key (account_id, user_id)
);

create trigger gatewarden_named_user_kept after insert on gatewarden_named_user
  referencing new table as changed for each statement execute function gatewarden_count_of_account('user');
create trigger gatewarden_named_user_left after delete on gatewarden_named_user
  referencing old table as changed for each statement execute function gatewarden_count_of_account('user');

create policy gatewarden_tenant on gatewarden_named_user
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
