-- Views of the console's lists that users have saved: a name for the filters and columns of an address. The one without a name is
-- how the list begins.
create table saved_view (
  user_id    bigint      not null references app_user,
  list_name  text        not null,
  name       text        not null default '',
  query      text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (user_id, list_name, name)
);
