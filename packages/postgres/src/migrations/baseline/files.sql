-- Files, and their contents in pieces where the database keeps those too.
--
-- A file outlives its workspace as a row of nobody's, until its content, which may be kept elsewhere, is swept. Contents are mostly
-- compressed already, so the database does not try.

create table gatewarden_file (
  id text collate "C" primary key,
  account_id uuid,
  workspace_id uuid,
  state text collate "C" not null,
  changed_at timestamptz not null,
  filename text collate "C" not null,
  mime_type text collate "C" not null,
  size_bytes bigint not null,
  created_at timestamptz not null,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete set null
);

create index gatewarden_file_workspace on gatewarden_file (workspace_id, created_at, id);
create index gatewarden_file_stale on gatewarden_file (changed_at) where state <> 'stored' or workspace_id is null;

create trigger gatewarden_file_kept after insert on gatewarden_file
  referencing new table as added for each statement execute function gatewarden_count_files();
create trigger gatewarden_file_left after delete on gatewarden_file
  referencing old table as removed for each statement execute function gatewarden_count_files();
create trigger gatewarden_file_resized after update on gatewarden_file
  referencing old table as removed new table as added for each statement execute function gatewarden_count_files();
create trigger gatewarden_file_stored after update on gatewarden_file
  for each row when (old.state <> 'stored' and new.state = 'stored') execute function gatewarden_record_file();
create trigger gatewarden_file_gone after update on gatewarden_file
  for each row when (old.state = 'stored' and old.workspace_id is not null and (new.state <> 'stored' or new.workspace_id is null))
  execute function gatewarden_record_file();

create policy gatewarden_tenant on gatewarden_file
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_file_content (
  file_id text collate "C" not null,
  position int not null,
  bytes bytea not null,
  primary key (file_id, position)
);

alter table gatewarden_file_content alter column bytes set storage external;
