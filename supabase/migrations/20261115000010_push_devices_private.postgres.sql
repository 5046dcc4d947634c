-- As for the other tables: on Supabase nobody may read this one with the public key.

alter table push_devices enable row level security;

do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on push_devices from %I', public_role);
  end loop;
end
$$;
