-- Why a lead looks like a robot's; null when it does not.
alter table leads add column suspect text;

-- The version of the consent line that stood under the button.
alter table leads add column consent text;
