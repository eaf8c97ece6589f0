-- Whether a person asked for the mail: it is then also sent for tenants that do not mail their customers by themselves.
alter table invoice_mail add column requested boolean not null default false;
