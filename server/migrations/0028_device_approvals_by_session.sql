-- The session in which a login of a device was approved: without it the approval is void.
alter table device_login add column session_id uuid;
