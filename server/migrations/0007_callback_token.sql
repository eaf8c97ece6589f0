-- The unguessable part of a channel's callback address. The volatile default gives each existing channel its own; the table
-- is rewritten, which is quick because an installation has few channels.
alter table channel add column callback_token text not null default replace(gen_random_uuid()::text, '-', '');
