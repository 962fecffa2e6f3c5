-- No code uses these. That of version 0.1 does not either, so its processes may still run.
drop table auth_verifications;
--> statement-breakpoint
alter table reply_watches
  drop column cursor_event_id,
  drop column page_token,
  drop column page_newest_id,
  drop column polled_at,
  drop column confirmed_at;
