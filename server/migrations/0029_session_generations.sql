-- How often the tokens of a session were replaced (app.security.profile=strict): those of former generations are void.
alter table session add column generation integer not null default 0;
