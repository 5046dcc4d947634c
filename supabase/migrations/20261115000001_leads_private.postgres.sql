-- On Supabase a table in "public" can be read by anyone who has the public anon key, which stands
-- in the page. Row level security without a policy closes that; the owner of the tables, which the
-- function connects as, is not bound by it.

alter table leads enable row level security;
alter table deliveries enable row level security;
alter table channels enable row level security;
alter table write_checks enable row level security;

-- The roles exist on Supabase only.
do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on leads, deliveries, channels, write_checks from %I', public_role);
  end loop;
end
$$;
