--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: public; Type: SCHEMA; Schema: -; Owner: -
--



--
-- Name: supabase_migrations; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA supabase_migrations;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: channels; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.channels (
    name text NOT NULL,
    lease_holder text,
    leased_until bigint DEFAULT 0 NOT NULL,
    not_before bigint DEFAULT 0 NOT NULL
);


--
-- Name: deliveries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deliveries (
    lead_id text NOT NULL,
    channel text NOT NULL,
    occasion text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_attempt_at bigint NOT NULL,
    leased_until bigint DEFAULT 0 NOT NULL,
    lease_holder text,
    last_error text,
    note text,
    created_at bigint NOT NULL,
    settled_at bigint
);


--
-- Name: leads; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.leads (
    id text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    phone text NOT NULL,
    address text NOT NULL,
    service_type text NOT NULL,
    received_at bigint NOT NULL,
    client_address text NOT NULL,
    idempotency_key text,
    body_hash text NOT NULL,
    suspect text,
    consent text,
    answered_at bigint,
    answered_by text,
    escalate_at bigint,
    client_network text
);


--
-- Name: settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.settings (
    name text NOT NULL,
    value text NOT NULL
);


--
-- Name: write_checks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.write_checks (
    id text NOT NULL,
    filler text NOT NULL
);


--
-- Name: schema_migrations; Type: TABLE; Schema: supabase_migrations; Owner: -
--

CREATE TABLE supabase_migrations.schema_migrations (
    version text NOT NULL,
    statements text[],
    name text
);


--
-- Data for Name: channels; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.channels VALUES ('airtable', NULL, 0, 1768478400000);


--
-- Data for Name: deliveries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.deliveries VALUES ('new', 'airtable', 'received', 'waiting', 0, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('new', 'webhook', 'received', 'waiting', 0, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('tried', 'airtable', 'received', 'waiting', 7, 1768479300000, 0, NULL, 'Airtable answered 503', NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('half-sent', 'airtable', 'received', 'waiting', 0, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('half-sent', 'webhook', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('leased', 'airtable', 'received', 'waiting', 1, 1768478400000, 1768478445000, 'a process that is gone', NULL, NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('suspect', 'airtable', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, 'Status was not taken.', 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('unanswered', 'airtable', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('unanswered', 'webhook', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('unanswered', 'webhook', 'unanswered-4', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('answered', 'airtable', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('answered', 'airtable', 'answered', 'waiting', 0, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, NULL);
INSERT INTO public.deliveries VALUES ('answered', 'webhook', 'unanswered-4', 'cancelled', 0, 1768478400000, 0, NULL, NULL, 'Answered before it was sent.', 1768478400000, 1768478460000);
INSERT INTO public.deliveries VALUES ('done', 'airtable', 'received', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);
INSERT INTO public.deliveries VALUES ('done', 'airtable', 'answered', 'sent', 1, 1768478400000, 0, NULL, NULL, NULL, 1768478400000, 1768478400900);


--
-- Data for Name: leads; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.leads VALUES ('new', 'Zoë O''Hara new', 'new@example.com', '(555) 123-4567', '1 Main St
Apt "new"', '', 1768478400000, '203.0.113.7', 'key:once', 'hash of new', NULL, '2026-11', NULL, NULL, NULL, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('tried', 'Zoë O''Hara tried', 'tried@example.com', '(555) 123-4567', '1 Main St
Apt "tried"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of tried', NULL, '2026-11', NULL, NULL, NULL, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('half-sent', 'Zoë O''Hara half-sent', 'half-sent@example.com', '(555) 123-4567', '1 Main St
Apt "half-sent"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of half-sent', NULL, '2026-11', NULL, NULL, NULL, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('leased', 'Zoë O''Hara leased', 'leased@example.com', '(555) 123-4567', '1 Main St
Apt "leased"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of leased', NULL, '2026-11', NULL, NULL, NULL, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('suspect', 'Zoë O''Hara suspect', 'suspect@example.com', '(555) 123-4567', '1 Main St
Apt "suspect"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of suspect', 'trap field', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('unanswered', 'Zoë O''Hara unanswered', 'unanswered@example.com', '(555) 123-4567', '1 Main St
Apt "unanswered"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of unanswered', NULL, '2026-11', NULL, NULL, 1768478880000, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('answered', 'Zoë O''Hara answered', 'answered@example.com', '(555) 123-4567', '1 Main St
Apt "answered"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of answered', NULL, '2026-11', 1768478460000, 'link', NULL, '203.0.113.0/24');
INSERT INTO public.leads VALUES ('done', 'Zoë O''Hara done', 'done@example.com', '(555) 123-4567', '1 Main St
Apt "done"', 'roof-repair', 1768478400000, '203.0.113.7', NULL, 'hash of done', NULL, '2026-11', 1768478490000, 'airtable', NULL, '203.0.113.0/24');


--
-- Data for Name: settings; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.settings VALUES ('link-secret', 'kept by the product');


--
-- Data for Name: write_checks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: schema_migrations; Type: TABLE DATA; Schema: supabase_migrations; Owner: -
--

INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000000', '{"-- One text for SQLite and PostgreSQL: ids are text, times are epoch milliseconds.

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

-- The rate limit counts a client''s recent leads here.
create index leads_client_address on leads (client_address, received_at);

-- What has to reach whom because of a lead; written in the lead''s own transaction.
-- state: waiting, sent. A waiting delivery is tried for ever.
create table deliveries (
  lead_id text not null references leads (id) on delete cascade,
  channel text not null,
  state text not null default ''waiting'',
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

create index deliveries_due on deliveries (channel, next_attempt_at) where state = ''waiting'';

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
"}', 'leads');
INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000001', '{"-- On Supabase a table in \"public\" can be read by anyone who has the public anon key, which stands
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
  for public_role in select rolname from pg_roles where rolname in (''anon'', ''authenticated'') loop
    execute format(''revoke all on leads, deliveries, channels, write_checks from %I'', public_role);
  end loop;
end
$$;
"}', 'leads_private.postgres');
INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000002', '{"-- Why a lead looks like a robot''s; null when it does not.
alter table leads add column suspect text;

-- The version of the consent line that stood under the button.
alter table leads add column consent text;
"}', 'lead_details');
INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000003', '{"-- When staff said they are calling, and where they said it: ''link'' or ''airtable''.
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
  state text not null default ''waiting'',
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
select lead_id, channel, ''received'', state, attempts, next_attempt_at, leased_until, lease_holder,
  last_error, note, created_at, settled_at
from deliveries;

drop table deliveries;
alter table deliveries_by_occasion rename to deliveries;
create index deliveries_due on deliveries (channel, next_attempt_at) where state = ''waiting'';

-- What the product has to remember by itself: the secret of the links in alerts, and which webhook
-- wants no more.
create table settings (
  name text primary key,
  value text not null
);
"}', 'promise');
INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000004', '{"-- As for the first tables: on Supabase nobody may read these with the public key.

alter table deliveries enable row level security;
alter table settings enable row level security;

do $$
declare
  public_role text;
begin
  for public_role in select rolname from pg_roles where rolname in (''anon'', ''authenticated'') loop
    execute format(''revoke all on deliveries, settings from %I'', public_role);
  end loop;
end
$$;
"}', 'promise_private.postgres');
INSERT INTO supabase_migrations.schema_migrations VALUES ('20261115000005', '{"-- The rate limit also counts by network: an IPv4 /24 or an IPv6 /48.
alter table leads add column client_network text;

create index leads_client_network on leads (client_network, received_at);
"}', 'client_network');


--
-- Name: channels channels_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.channels
    ADD CONSTRAINT channels_pkey PRIMARY KEY (name);


--
-- Name: deliveries deliveries_by_occasion_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_by_occasion_pkey PRIMARY KEY (lead_id, channel, occasion);


--
-- Name: leads leads_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_idempotency_key_key UNIQUE (idempotency_key);


--
-- Name: leads leads_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);


--
-- Name: settings settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (name);


--
-- Name: write_checks write_checks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.write_checks
    ADD CONSTRAINT write_checks_pkey PRIMARY KEY (id);


--
-- Name: schema_migrations schema_migrations_pkey; Type: CONSTRAINT; Schema: supabase_migrations; Owner: -
--

ALTER TABLE ONLY supabase_migrations.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);


--
-- Name: deliveries_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deliveries_due ON public.deliveries USING btree (channel, next_attempt_at) WHERE (state = 'waiting'::text);


--
-- Name: leads_client_address; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leads_client_address ON public.leads USING btree (client_address, received_at);


--
-- Name: leads_client_network; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leads_client_network ON public.leads USING btree (client_network, received_at);


--
-- Name: leads_escalate_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leads_escalate_at ON public.leads USING btree (escalate_at) WHERE (escalate_at IS NOT NULL);


--
-- Name: leads_received_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX leads_received_at ON public.leads USING btree (received_at);


--
-- Name: deliveries deliveries_by_occasion_lead_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_by_occasion_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id) ON DELETE CASCADE;


--
-- Name: channels; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.channels ENABLE ROW LEVEL SECURITY;

--
-- Name: deliveries; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.deliveries ENABLE ROW LEVEL SECURITY;

--
-- Name: leads; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.leads ENABLE ROW LEVEL SECURITY;

--
-- Name: settings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.settings ENABLE ROW LEVEL SECURITY;

--
-- Name: write_checks; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.write_checks ENABLE ROW LEVEL SECURITY;

--
-- PostgreSQL database dump complete
--



