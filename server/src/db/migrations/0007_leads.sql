-- The statements that change leads count them by status.
drop trigger leads_counted_insert on leads;
--> statement-breakpoint
drop trigger leads_counted_update on leads;
--> statement-breakpoint
drop trigger leads_counted_delete on leads;
--> statement-breakpoint
drop trigger leads_standing_insert on leads;
--> statement-breakpoint
drop trigger leads_standing_update on leads;
--> statement-breakpoint
drop trigger leads_standing_delete on leads;
--> statement-breakpoint
drop function count_leads();
--> statement-breakpoint
drop function keep_standings();
--> statement-breakpoint
delete from lead_counts;
--> statement-breakpoint
insert into lead_counts (workspace_id, dm_status, count)
select workspace_id, dm_status, count(*)
from leads
group by 1, 2;
--> statement-breakpoint
delete from lead_standings s
where not exists (
  select
  from leads l
  where l.id = s.lead_id
    and l.workspace_id = s.workspace_id
    and standing_of(l.dm_status) = s.standing
    and l.created_at = s.created_at
);
--> statement-breakpoint
insert into lead_standings (workspace_id, standing, created_at, lead_id)
select workspace_id, standing_of(dm_status), created_at, id
from leads
on conflict do nothing;
