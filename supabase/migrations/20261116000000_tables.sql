-- SQLite and PostgreSQL both run this file, so IDs are text and times are epoch milliseconds.

create table leads (
  id text primary key,
  -- The form's fields.
  name text not null,
  email text not null,
  phone text not null,
  address text not null,
  service_type text not null,
  -- The search text for the desk: the text fields, the digits of the phone number, and the notes, in lowercase without
  -- accents.
  search_text text not null,
  -- The normalized phone number. Requests with the same one share calls.
  phone_key text,
  -- The normalized email address, to find other requests.
  email_key text,
  received_at bigint not null,
  -- When the time for the promised call starts, and when the call is due. Null for suspected spam.
  promise_start_at bigint,
  deadline_at bigint,
  client_address text not null,
  -- The rate limit also counts by network: an IPv4 /24 or an IPv6 /48.
  client_network text not null,
  idempotency_key text unique,
  body_hash text not null,
  -- Why the lead is suspected spam: 'trap' (filled honeypot) or 'too-fast' (sent within a second). Null for all others.
  suspect text,
  -- 1 for the 20th uncalled lead from one network within an hour, and for later ones. Texts and notifications
  -- about such leads are combined.
  in_burst integer not null default 0,
  -- The version of the consent text under the button.
  consent text,
  -- How the visitor found the page, as URLSearchParams text. Empty: the page found no source. Null: the page sent none.
  source text,
  -- The state of the lead, computed from lead_events for queries.
  -- leads/statuses.ts lists the statuses.
  status text not null default 'open',
  -- The first call that was not undone, and where it was recorded.
  called_at bigint,
  called_via text,
  -- The person who is calling or called last.
  caller text,
  caller_email text,
  -- When to call again. Null if no call is planned.
  call_again_at bigint,
  -- How many times the crew called without an answer.
  attempts integer not null default 0,
  -- Counts the events that change the state, and Undo, but not notes, texts, or corrections.
  version integer not null default 0,
  changed_at bigint,
  -- The date of the appointment, the amount in dollars, or why the sale was lost.
  sale_details text,
  last_note text,
  last_note_by text
);

create index leads_received_at on leads (received_at);
-- The rate limits read only this index.
create index leads_client on leads (client_network, received_at, client_address);
create index leads_phone_key on leads (phone_key, received_at);
create index leads_email_key on leads (email_key, received_at);
-- For the desk, which polls the leads to call.
create index leads_deadline on leads (status, deadline_at) where deadline_at is not null;
create index leads_changed on leads (status, changed_at) where changed_at is not null;
create index leads_call_again_at on leads (call_again_at) where call_again_at is not null;

-- What happened to a lead after it arrived, in order. Rows never change.
create table lead_events (
  lead_id text not null references leads (id) on delete cascade,
  number integer not null,
  -- The sender creates this ID so that a retry does not add a second event.
  id text not null,
  at bigint not null,
  -- leads/history.ts lists the kinds.
  kind text not null,
  -- Null if unknown: the links in an alert are the same for everyone.
  person text,
  email text,
  -- 'desk', 'link', 'notification', 'airtable', or 'site'
  via text not null,
  -- The note, the Status in Airtable, the details of a sale, or the changes of a correction as JSON.
  text text,
  call_again_at bigint,
  primary key (lead_id, number),
  -- The ID comes first so that this index finds the other leads with a shared call.
  unique (id, lead_id)
);

-- Messages to send about a lead, and one row for the recipient 'crew': the next step for the lead. The first rows are
-- written in the same transaction as the lead.
create table deliveries (
  lead_id text not null references leads (id) on delete cascade,
  -- 'crew', or a recipient of a channel, such as 'airtable', or 'sms-' and a hash of the number.
  recipient text not null,
  -- leads/delivery-reason.ts lists the reasons. 'remind' is for the crew's row.
  reason text not null,
  -- 0 for the crew's row.
  is_message integer not null default 1,
  -- 'waiting', 'asking' (the service accepted it, and we ask whether it arrived), 'sent' (the service accepted it),
  -- 'failed' (the service reported later that it did not arrive, or the recipient is gone or permanently rejected it),
  -- 'cancelled' (no longer needed), or 'expired' (not sent in time).
  state text not null default 'waiting',
  attempts integer not null default 0,
  -- When to send the message, or to ask next whether it arrived.
  next_attempt_at bigint not null,
  -- Only resetting the delivery changes this. A result counts only for the revision that was sent.
  revision integer not null default 0,
  last_error text,
  note text,
  -- Why it was canceled: 'called', 'undone', 'replaced', 'corrected', 'device-gone', or 'restored' (from a backup).
  cancel_reason text,
  -- When the first attempt is due.
  due_at bigint not null,
  settled_at bigint,
  -- The service's ID of the message, such as Twilio's SID, or the one that a phone confirms. Several deliveries
  -- have the same one if one message covers them.
  message_id text,
  -- When the service or the phone confirmed that it arrived, and when someone tapped the notification.
  arrived_at bigint,
  tapped_at bigint,
  primary key (lead_id, recipient, reason)
);

create index deliveries_due on deliveries (recipient, next_attempt_at) where state = 'waiting';
create index deliveries_failed on deliveries (settled_at) where state = 'failed';
create index deliveries_message on deliveries (message_id) where message_id is not null;
create index deliveries_asking on deliveries (next_attempt_at) where state = 'asking';

-- Which process may send to each recipient now. Only one process may do so at a time.
create table recipients (
  name text primary key,
  holder text,
  -- If the holder is killed, another process takes over at this time.
  until bigint not null default 0,
  -- No process may send before this time, such as when the service asked us to wait.
  not_before bigint not null default 0,
  -- When the next message about a burst may be sent.
  burst_at bigint not null default 0,
  -- The next digest is for the first working day that starts at or after this time: the end of the last digest's day
  -- or, for a new recipient, the time when it was added. Null if nothing is planned yet. Used only in rows such as
  -- 'digest-email-0a1b2c3d'.
  digest_from bigint
);

-- Values that the program stores, such as the secret for links in alerts and the consent texts.
create table settings (
  name text primary key,
  value text not null
);

-- The desk's sign-in links. Only hashes of their tokens are stored.
create table desk_links (
  token_hash text primary key,
  -- The hash of the six-digit code in the same email, combined with a secret of the browser that requested it.
  code_hash text,
  -- 1 for an invitation, which has no code and works for 7 days.
  is_invitation integer not null,
  email text not null,
  -- Who requested it, such as 'Someone using Safari on iPhone', or who sent the invitation.
  requester text not null,
  -- The hash of the network that requested it.
  network text not null,
  expires_at bigint not null
);

-- People who may sign in to the desk, in addition to the email addresses in .env.
create table desk_crew (
  email text primary key
);

-- People whom an owner made an owner, in addition to the owners in .env. This alone does not let anyone sign in.
create table desk_owners (
  email text primary key
);

-- The latest actions of people on the desk. Does not identify leads.
create table desk_log (
  id text primary key,
  at bigint not null,
  person text not null,
  email text not null,
  -- Such as 'added a person'.
  action text not null,
  -- The email address of the person who was added, removed, or changed.
  about text
);

create table desk_sessions (
  id text primary key,
  token_hash text not null unique,
  email text not null,
  person text not null,
  device text not null,
  -- A session ends 30 days after it was last used.
  seen_at bigint not null
);

-- Browsers that receive push notifications.
create table push_devices (
  id text primary key,
  -- The session of the browser. Signing out removes the device.
  session_id text not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  person text not null,
  name text not null,
  -- 'always', 'off', or 'business-hours': while the company is closed, only alerts that no other phone can get.
  schedule text not null,
  created_at bigint not null,
  -- When the push service reported that the device no longer exists.
  gone_at bigint,
  -- When the device last reported that it had shown a notification, including a test.
  shown_at bigint
);

-- The page's content in JSON, as owners published it. Not HTML, which links to the hashed files of one build. Rows are
-- only added.
create table page_versions (
  number integer primary key,
  at bigint not null,
  -- The person who published it.
  person text not null,
  email text not null,
  content text not null
);

-- The draft of the next version, if there is one. Its number is higher than those of all versions.
create table page_draft (
  number integer primary key,
  at bigint not null,
  -- The person who saved it.
  person text not null,
  email text not null,
  content text not null
);

-- Counts confirmation emails per day (UTC): one row for each email address and each network, named by hashes, and one
-- for all. Also counts the desk's invitations and wrong codes.
create table confirmation_limits (
  name text not null,
  day text not null,
  used integer not null,
  primary key (name, day)
);
