-- The hashes of changes that follow each other behind a position and its hash.
create or replace function gatewarden_chain_hashes(hash text, place bigint, digests text[])
returns text[] language plpgsql immutable as $body$
declare
  digest text;
  hashes text[] := '{}';
begin
  foreach digest in array digests loop
    place := place + 1;
    hash := encode(sha256(convert_to(hash || ' ' || place || ' ' || digest, 'UTF8')), 'hex');
    hashes := array_append(hashes, hash);
  end loop;
  return hashes;
end
$body$
