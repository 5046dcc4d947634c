CREATE TABLE schema_migrations (version text primary key, name text);
CREATE TABLE leads (
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
, suspect text, consent text, answered_at bigint, answered_by text, escalate_at bigint, client_network text);
CREATE INDEX leads_received_at on leads (received_at);
CREATE INDEX leads_client_address on leads (client_address, received_at);
CREATE TABLE channels (
  name text primary key,
  lease_holder text,
  leased_until bigint not null default 0,
  not_before bigint not null default 0
);
CREATE TABLE write_checks (
  id text primary key,
  filler text not null
);
CREATE INDEX leads_escalate_at on leads (escalate_at) where escalate_at is not null;
CREATE TABLE "deliveries" (
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
CREATE INDEX deliveries_due on deliveries (channel, next_attempt_at) where state = 'waiting';
CREATE TABLE settings (
  name text primary key,
  value text not null
);
CREATE INDEX leads_client_network on leads (client_network, received_at);
insert into schema_migrations values ('20261115000000', 'leads');
insert into schema_migrations values ('20261115000002', 'lead_details');
insert into schema_migrations values ('20261115000003', 'promise');
insert into schema_migrations values ('20261115000005', 'client_network');
insert into leads values ('new', 'Zoë O''Hara new', 'new@example.com', '(555) 123-4567', '1 Main St
Apt "new"', '', 1768478400000, '203.0.113.7', 'key:once', 'hash of new', null, '2026-11', null, null, null, '203.0.113.0/24');
insert into leads values ('tried', 'Zoë O''Hara tried', 'tried@example.com', '(555) 123-4567', '1 Main St
Apt "tried"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of tried', null, '2026-11', null, null, null, '203.0.113.0/24');
insert into leads values ('half-sent', 'Zoë O''Hara half-sent', 'half-sent@example.com', '(555) 123-4567', '1 Main St
Apt "half-sent"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of half-sent', null, '2026-11', null, null, null, '203.0.113.0/24');
insert into leads values ('leased', 'Zoë O''Hara leased', 'leased@example.com', '(555) 123-4567', '1 Main St
Apt "leased"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of leased', null, '2026-11', null, null, null, '203.0.113.0/24');
insert into leads values ('suspect', 'Zoë O''Hara suspect', 'suspect@example.com', '(555) 123-4567', '1 Main St
Apt "suspect"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of suspect', 'trap field', null, null, null, null, null);
insert into leads values ('unanswered', 'Zoë O''Hara unanswered', 'unanswered@example.com', '(555) 123-4567', '1 Main St
Apt "unanswered"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of unanswered', null, '2026-11', null, null, 1768478880000, '203.0.113.0/24');
insert into leads values ('answered', 'Zoë O''Hara answered', 'answered@example.com', '(555) 123-4567', '1 Main St
Apt "answered"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of answered', null, '2026-11', 1768478460000, 'link', null, '203.0.113.0/24');
insert into leads values ('done', 'Zoë O''Hara done', 'done@example.com', '(555) 123-4567', '1 Main St
Apt "done"', 'roof-repair', 1768478400000, '203.0.113.7', null, 'hash of done', null, '2026-11', 1768478490000, 'airtable', null, '203.0.113.0/24');
insert into channels values ('airtable', null, 0, 1768478400000);
insert into deliveries values ('new', 'airtable', 'received', 'waiting', 0, 1768478400000, 0, null, null, null, 1768478400000, null);
insert into deliveries values ('new', 'webhook', 'received', 'waiting', 0, 1768478400000, 0, null, null, null, 1768478400000, null);
insert into deliveries values ('tried', 'airtable', 'received', 'waiting', 7, 1768479300000, 0, null, 'Airtable answered 503', null, 1768478400000, null);
insert into deliveries values ('half-sent', 'airtable', 'received', 'waiting', 0, 1768478400000, 0, null, null, null, 1768478400000, null);
insert into deliveries values ('half-sent', 'webhook', 'received', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('leased', 'airtable', 'received', 'waiting', 1, 1768478400000, 1768478445000, 'a process that is gone', null, null, 1768478400000, null);
insert into deliveries values ('suspect', 'airtable', 'received', 'sent', 1, 1768478400000, 0, null, null, 'Status was not taken.', 1768478400000, 1768478400900);
insert into deliveries values ('unanswered', 'airtable', 'received', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('unanswered', 'webhook', 'received', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('unanswered', 'webhook', 'unanswered-4', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('answered', 'airtable', 'received', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('answered', 'airtable', 'answered', 'waiting', 0, 1768478400000, 0, null, null, null, 1768478400000, null);
insert into deliveries values ('answered', 'webhook', 'unanswered-4', 'cancelled', 0, 1768478400000, 0, null, null, 'Answered before it was sent.', 1768478400000, 1768478460000);
insert into deliveries values ('done', 'airtable', 'received', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into deliveries values ('done', 'airtable', 'answered', 'sent', 1, 1768478400000, 0, null, null, null, 1768478400000, 1768478400900);
insert into settings values ('link-secret', 'kept by the product');
