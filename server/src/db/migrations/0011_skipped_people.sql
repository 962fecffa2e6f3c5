alter table campaigns
  add column dms_skipped_count integer not null default 0,
  add column people_skipped integer not null default 0;
--> statement-breakpoint
update campaigns c
set dms_skipped_count = d.dms_skipped_count, people_skipped = d.people_skipped
from (
  select campaign_id,
    count(*) as dms_skipped_count,
    count(*) filter (where step = 0 and enrollment_id is not null) as people_skipped
  from dms
  where status = 'failed' and reason is not null
  group by campaign_id
) d
where c.id = d.campaign_id;
--> statement-breakpoint
create index replies_missing_texts on replies (workspace_id, account_x_user_id, at) where text is null;
