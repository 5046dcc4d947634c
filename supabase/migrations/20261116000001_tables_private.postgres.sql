-- On Supabase, anyone with the public anon key can read tables in the "public" schema. Row-level security
-- without a policy blocks that. It does not apply to the owner of the tables, which is the function's role.

alter table leads enable row level security;
alter table lead_events enable row level security;
alter table deliveries enable row level security;
alter table recipients enable row level security;
alter table settings enable row level security;
alter table desk_links enable row level security;
alter table desk_crew enable row level security;
alter table desk_owners enable row level security;
alter table desk_log enable row level security;
alter table desk_sessions enable row level security;
alter table push_devices enable row level security;
alter table page_versions enable row level security;
alter table page_draft enable row level security;
alter table confirmation_limits enable row level security;

-- These roles exist only on Supabase.
do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format(
      'revoke all on leads, lead_events, deliveries, recipients, settings, desk_links, desk_crew, desk_owners, desk_log, desk_sessions, push_devices, page_versions, page_draft, confirmation_limits from %I',
      public_role
    );
  end loop;
end
$$;
