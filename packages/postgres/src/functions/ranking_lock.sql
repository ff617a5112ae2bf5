-- A day as a key of advisory locks.
create or replace function gatewarden_ranking_lock(day date)
returns int language sql immutable as $body$ select day - date '2000-01-01' $body$
