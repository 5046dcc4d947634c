-- Phones and computers that ring: what a browser gave us to reach it, and when its owner wants to be rung.
create table push_devices (
  id text primary key,
  -- The browser's session; signing it out removes the device.
  session_id text not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  person text not null,
  name text not null,
  -- 0: every lead rings; 4: one that nobody has answered after 4 minutes.
  rings_from double precision not null,
  quiet_until bigint not null,
  emergencies_ring integer not null,
  created_at bigint not null,
  -- When its push service said that there is no such device; null while there is.
  gone_at bigint
);
