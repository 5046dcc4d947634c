-- Where the visitor came from, as the text of URLSearchParams: campaign parameters, the kind of ad
-- clicked, the referring host. Empty: the page knew of nothing. Null: nobody said.
alter table leads add column source text;
