-- The statements that change messages count them.
drop trigger dms_counted_insert on dms;
--> statement-breakpoint
drop trigger dms_counted_update on dms;
--> statement-breakpoint
drop trigger dms_counted_delete on dms;
--> statement-breakpoint
drop trigger dms_dated_insert on dms;
--> statement-breakpoint
drop trigger dms_dated_update on dms;
--> statement-breakpoint
drop trigger dms_dated_delete on dms;
--> statement-breakpoint
drop function count_dms();
--> statement-breakpoint
drop function date_dms();
--> statement-breakpoint
update campaigns c
set dms_queued_count = coalesce(d.dms_queued_count, 0),
  firsts_queued_count = coalesce(d.firsts_queued_count, 0),
  dms_sent_count = coalesce(d.dms_sent_count, 0),
  dms_failed_count = coalesce(d.dms_failed_count, 0),
  dms_delivered_count = coalesce(d.dms_delivered_count, 0),
  dms_replied_count = coalesce(d.dms_replied_count, 0),
  people_messaged = coalesce(d.people_messaged, 0),
  people_replied = coalesce(d.people_replied, 0),
  people_positive = coalesce(d.people_positive, 0)
from (
  select campaigns.id,
    d.dms_queued_count,
    d.firsts_queued_count,
    d.dms_sent_count,
    d.dms_failed_count,
    d.dms_delivered_count,
    d.dms_replied_count,
    d.people_messaged,
    d.people_replied,
    d.people_positive
  from campaigns
  left join (
    select campaign_id,
      count(*) filter (where status = 'queued') as dms_queued_count,
      count(*) filter (where status = 'queued' and not is_follow_up and not is_held) as firsts_queued_count,
      count(*) filter (where status in ('sent', 'delivered', 'replied')) as dms_sent_count,
      count(*) filter (where status = 'failed') as dms_failed_count,
      count(*) filter (where status in ('delivered', 'replied')) as dms_delivered_count,
      count(*) filter (where status = 'replied') as dms_replied_count,
      count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null) as people_messaged,
      count(*) filter (
        where sent_at is not null and step = 0 and enrollment_id is not null and person_answers & 1 > 0
      ) as people_replied,
      count(*) filter (
        where sent_at is not null and step = 0 and enrollment_id is not null and person_answers & 2 > 0
      ) as people_positive
    from dms
    group by campaign_id
  ) d on d.campaign_id = campaigns.id
) d
where c.id = d.id
  and (c.dms_queued_count,
    c.firsts_queued_count,
    c.dms_sent_count,
    c.dms_failed_count,
    c.dms_delivered_count,
    c.dms_replied_count,
    c.people_messaged,
    c.people_replied,
    c.people_positive)
    is distinct from (coalesce(d.dms_queued_count, 0),
      coalesce(d.firsts_queued_count, 0),
      coalesce(d.dms_sent_count, 0),
      coalesce(d.dms_failed_count, 0),
      coalesce(d.dms_delivered_count, 0),
      coalesce(d.dms_replied_count, 0),
      coalesce(d.people_messaged, 0),
      coalesce(d.people_replied, 0),
      coalesce(d.people_positive, 0));
--> statement-breakpoint
delete from dm_activity;
--> statement-breakpoint
insert into dm_activity (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id, sent, delivered, replied,
  failed, skipped, answered, positive, opted_out, people, people_replied, people_positive, people_opted_out)
select workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)),
  coalesce(variant_id, '00000000-0000-0000-0000-000000000000'),
  coalesce(x_account_id, '00000000-0000-0000-0000-000000000000'),
  coalesce(user_id, '00000000-0000-0000-0000-000000000000'),
  count(*) filter (where sent_at is not null),
  count(*) filter (where status in ('delivered', 'replied')),
  count(*) filter (where status = 'replied'),
  count(*) filter (where status = 'failed'),
  count(*) filter (where status = 'failed' and reason is not null),
  count(*) filter (where sent_at is not null and answers & 1 > 0),
  count(*) filter (where sent_at is not null and answers & 2 > 0),
  count(*) filter (where sent_at is not null and answers & 4 > 0),
  count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null),
  count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null and person_answers & 1 > 0),
  count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null and person_answers & 2 > 0),
  count(*) filter (where sent_at is not null and step = 0 and enrollment_id is not null and person_answers & 4 > 0)
from dms
where sent_at is not null or status = 'failed'
group by 1, 2, 3, 4, 5, 6;
