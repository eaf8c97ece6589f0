-- The nodes of this installation. Each one writes its row every ten seconds while it runs, and removes it when it stops.
-- A row that is not written any more belongs to a node that is gone. host, port: how the node is known to operators;
-- key_digest: the same on all nodes that have the same keys; clock_ahead_ms: null while the node does not know.
create table service_node (
  id               uuid        primary key,
  host             text        not null,
  port             integer     not null,
  role             text        not null,
  processes        integer     not null,
  version          text        not null,
  runtime          text        not null,
  migration        text        not null,
  key_digest       text        not null,
  clock_ahead_ms   float8,
  disk_free_bytes  bigint,
  disk_total_bytes bigint,
  started_at       timestamptz not null,
  seen_at          timestamptz not null
) with (fillfactor = 50);
