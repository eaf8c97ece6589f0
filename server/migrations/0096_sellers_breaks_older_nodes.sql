-- What payers and customers see of a tenant has a table of its own, because another module writes it. Nodes of earlier
-- versions know only the columns of `tenant`: all stop for this upgrade.
create table seller (
  tenant_id      bigint  primary key references tenant,
  address        json,
  tax_id         text,
  -- #rrggbb.
  brand_color    text,
  logo           bytea,
  logo_type      text    check (logo_type in ('image/png', 'image/jpeg')),
  -- Whether customers are mailed invoices, receipts and failed payments, and in which language.
  customer_mails boolean not null default false,
  mail_language  text    not null default 'en' check (mail_language in ('en', 'de')),
  mail_texts     json
);

insert into seller (tenant_id, address, tax_id, brand_color, logo, logo_type, customer_mails, mail_language, mail_texts)
select id, address, tax_id, brand_color, logo, logo_type, customer_mails, mail_language, mail_texts from tenant;

alter table tenant
  drop column address, drop column tax_id, drop column brand_color, drop column logo, drop column logo_type,
  drop column customer_mails, drop column mail_language, drop column mail_texts;
