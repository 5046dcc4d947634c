-- As for the first tables: on Supabase nobody may read these with the public key.

alter table desk_links enable row level security;
alter table desk_sessions enable row level security;

do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on desk_links, desk_sessions from %I', public_role);
  end loop;
end
$$;
