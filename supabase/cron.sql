-- The delivery timer on Supabase: run once in the SQL editor, after putting in the project's address
-- and its public key. It is a wake-up call only. What has to be delivered stands in "deliveries", so
-- a call that pg_net loses, or that times out after its 2 s, is made up for a minute later.

create extension if not exists pg_cron;
create extension if not exists pg_net;

select vault.create_secret('https://PROJECT.supabase.co', 'project_url');
select vault.create_secret('PUBLIC_ANON_OR_PUBLISHABLE_KEY', 'public_key');

select cron.schedule(
  'wake-delivery',
  '* * * * *',
  $$
  select net.http_post(
    url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url')
      || '/functions/v1/submit-to-airtable/deliver',
    headers := jsonb_build_object(
      'content-type', 'application/json',
      'apikey', (select decrypted_secret from vault.decrypted_secrets where name = 'public_key')
    )
  )
  $$
);
