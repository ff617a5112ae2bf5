-- What is asked of an interval that there is not fails. It answers nothing; its type is for those who would need an answer.
create or replace function gatewarden_refuse_interval(asked_interval text)
returns int language plpgsql immutable as $body$
begin
  raise exception 'there is no interval "%"', asked_interval using errcode = 'invalid_parameter_value';
end
$body$
