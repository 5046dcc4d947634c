-- When staff said they are calling, and where they said it: 'link' or 'airtable'.
alter table leads add column answered_at bigint;
alter table leads add column answered_by text;

-- When the next reminder is due if nobody has answered by then; null when none is to come.
alter table leads add column escalate_at bigint;
create index leads_escalate_at on leads (escalate_at) where escalate_at is not null;

-- A channel now hears of a lead on more than one occasion: received, unanswered-4, unanswered-8,
-- missed, answered. The key of a table cannot be changed on SQLite, so the table is made anew.
-- state: waiting, sent, cancelled. A waiting delivery is tried for ever.
create table deliveries_by_occasion (
  lead_id text not null references leads (id) on delete cascade,
  channel text not null,
  occasion text not null,
  state text not null default 'waiting',
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  leased_until bigint not null default 0,
  lease_holder text,
  last_error text,
  note text,
  created_at bigint not null,
  settled_at bigint,
  primary key (lead_id, channel, occasion)
);

insert into deliveries_by_occasion
select lead_id, channel, 'received', state, attempts, next_attempt_at, leased_until, lease_holder,
  last_error, note, created_at, settled_at
from deliveries;

drop table deliveries;
alter table deliveries_by_occasion rename to deliveries;
create index deliveries_due on deliveries (channel, next_attempt_at) where state = 'waiting';

-- What the product has to remember by itself: the secret of the links in alerts, and which webhook
-- wants no more.
create table settings (
  name text primary key,
  value text not null
);
