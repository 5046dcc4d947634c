-- Starts due deliveries on Supabase every minute. Insert the project's URL and public key below, then run
-- this file once in the SQL editor. If pg_net drops a call or times out, no delivery is lost, because the
-- next call sends everything that is due.

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
