-- Deliveries may reach private addresses only for endpoints whose URL an administrator has set in a session. Whether an older
-- URL was set in a session is not known: those of administrators keep working, those of other users no longer reach private
-- addresses.
alter table webhook_endpoint add column reaches_private boolean not null default false;
update webhook_endpoint set reaches_private = true
 where user_id in (select id from app_user where user_type <> 'MERCHANT_USER');
