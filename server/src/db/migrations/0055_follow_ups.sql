ALTER TABLE "reply_watches" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reply_watches" ADD COLUMN "read_until" timestamp (3) with time zone;
--> statement-breakpoint
-- People who were messaged today are left alone for the rest of 24 hours.
UPDATE leads l SET last_claimed_at = d.claimed_at, last_claimed_campaign_id = d.campaign_id
FROM (SELECT DISTINCT ON (lead_id) lead_id, claimed_at, campaign_id FROM dms
  WHERE claimed_at > now() - interval '1 day' AND lead_id IS NOT NULL ORDER BY lead_id, claimed_at DESC) d
WHERE l.id = d.lead_id;
