-- After pg_restore (docs/backup.md), lists open leads whose alerts may not have reached anyone, cancels push
-- notifications and alerts that are older than an hour, and signs everyone out, because a phone may have been
-- signed out since the backup.
select name, phone, to_timestamp(received_at / 1000) as received
from leads
where status = 'open'
  and id in (
    select lead_id from deliveries where state = 'waiting' and is_message = 1 and recipient <> 'airtable'
  );

-- A lead from last night may not be due yet.
update deliveries
set state = 'cancelled', cancel_reason = 'restored', settled_at = extract(epoch from now()) * 1000
from leads
where lead_id = id and state = 'waiting' and is_message = 1 and recipient <> 'airtable'
  and (
    recipient like 'push-%'
    or received_at < extract(epoch from now()) * 1000 - 3600000
      and coalesce(deadline_at, 0) < extract(epoch from now()) * 1000
  );

-- Keep reminders that are not due yet, such as one to call again tomorrow.
delete from deliveries using leads
where lead_id = id and is_message = 0
  and received_at < extract(epoch from now()) * 1000 - 3600000
  and coalesce(deadline_at, 0) < extract(epoch from now()) * 1000
  and due_at < extract(epoch from now()) * 1000;

delete from desk_sessions;
delete from desk_links;
delete from push_devices;
