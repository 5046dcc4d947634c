-- Who may open the desk. Only hashes of what is in the link and in the browser are stored.
create table desk_links (
  token_hash text primary key,
  email text not null,
  client_address text not null,
  -- 0: somebody asked in the name of an address that may not sign in. It counts, and opens nothing.
  is_valid integer not null,
  expires_at bigint not null
);

create table desk_sessions (
  id text primary key,
  token_hash text not null unique,
  email text not null,
  person text not null,
  device text not null,
  created_at bigint not null,
  seen_at bigint not null
);

-- Who is calling, as the desk knows them; where it was said: 'link', 'airtable' or 'desk'.
alter table leads add column answered_name text;

-- What became of it: 'done' or 'not-a-lead'; null while nobody has said.
alter table leads add column outcome text;
