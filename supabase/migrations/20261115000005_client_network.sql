-- The rate limit also counts by network: an IPv4 /24 or an IPv6 /48.
alter table leads add column client_network text;

create index leads_client_network on leads (client_network, received_at);
