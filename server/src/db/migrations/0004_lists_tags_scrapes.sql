-- The statements that change list entries, taggings and finds of scrapes count them.
drop trigger list_items_counted_delete on lead_list_items;
--> statement-breakpoint
drop trigger list_items_counted_insert on lead_list_items;
--> statement-breakpoint
drop trigger list_items_counted_update on lead_list_items;
--> statement-breakpoint
drop trigger lead_tags_counted_delete on lead_tags;
--> statement-breakpoint
drop trigger lead_tags_counted_insert on lead_tags;
--> statement-breakpoint
drop trigger lead_tags_counted_update on lead_tags;
--> statement-breakpoint
drop trigger scrape_leads_counted_delete on scrape_leads;
--> statement-breakpoint
drop trigger scrape_leads_counted_insert on scrape_leads;
--> statement-breakpoint
drop function count_list_items();
--> statement-breakpoint
drop function count_lead_tags();
--> statement-breakpoint
drop function count_scrape_leads();
--> statement-breakpoint
update lead_lists l
set lead_count = actual.leads, contacted_count = actual.contacted
from (
  select lead_lists.id, count(i.lead_id) as leads, count(*) filter (where i.contact_status = 'contacted') as contacted
  from lead_lists
  left join lead_list_items i on i.lead_list_id = lead_lists.id
  where lead_lists.filter is null
  group by lead_lists.id
) actual
where l.id = actual.id and (l.lead_count, l.contacted_count) <> (actual.leads, actual.contacted);
--> statement-breakpoint
update tags t
set lead_count = actual.leads
from (
  select tags.id, count(g.lead_id) as leads
  from tags
  left join lead_tags g on g.tag_id = tags.id
  group by tags.id
) actual
where t.id = actual.id and t.lead_count <> actual.leads;
--> statement-breakpoint
delete from scrape_counts;
--> statement-breakpoint
insert into scrape_counts (scrape_id, count)
select scrape_id, count(*) from scrape_leads group by scrape_id;
