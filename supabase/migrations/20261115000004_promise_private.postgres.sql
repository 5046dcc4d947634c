-- As for the first tables: on Supabase nobody may read these with the public key.

alter table deliveries enable row level security;
alter table settings enable row level security;

do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on deliveries, settings from %I', public_role);
  end loop;
end
$$;
