-- One text for SQLite and PostgreSQL: ids are text, times are epoch milliseconds.

create table leads (
  id text primary key,
  name text not null,
  email text not null,
  phone text not null,
  address text not null,
  service_type text not null,
  received_at bigint not null,
  client_address text not null,
  idempotency_key text unique,
  body_hash text not null
);

create index leads_received_at on leads (received_at);

-- The rate limit counts a client's recent leads here.
create index leads_client_address on leads (client_address, received_at);

-- What has to reach whom because of a lead; written in the lead's own transaction.
-- state: waiting, sent. A waiting delivery is tried for ever.
create table deliveries (
  lead_id text not null references leads (id) on delete cascade,
  channel text not null,
  state text not null default 'waiting',
  attempts integer not null default 0,
  next_attempt_at bigint not null,
  leased_until bigint not null default 0,
  lease_holder text,
  last_error text,
  note text,
  created_at bigint not null,
  settled_at bigint,
  primary key (lead_id, channel)
);

create index deliveries_due on deliveries (channel, next_attempt_at) where state = 'waiting';

-- A channel that allows one sender at a time, and how long it must rest: true for all processes together.
create table channels (
  name text primary key,
  lease_holder text,
  leased_until bigint not null default 0,
  not_before bigint not null default 0
);

-- /healthz writes here to learn whether a lead could be stored.
create table write_checks (
  id text primary key,
  filler text not null
);
