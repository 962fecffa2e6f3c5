-- Achievements without months of Pro are rewards, too. Waits for changes of the waitlist that run now.
SELECT id FROM waitlist_state FOR UPDATE;
--> statement-breakpoint
INSERT INTO reward_grants (member_id, achievement, months, account_user_id, granted_at)
SELECT u.id, earned.key, 0, u.account_user_id,
  coalesce(
    CASE earned.key
      WHEN 'pioneer' THEN u.joined_at
      WHEN 'viral' THEN (
        SELECT min(credited_at) FROM (
          SELECT credited_at,
            row_number() OVER (PARTITION BY (credited_at AT TIME ZONE 'UTC')::date ORDER BY credit_number) AS of_day
          FROM referrals WHERE referrer_id = u.id AND status = 'credited'
        ) credits WHERE of_day = 5
      )
      WHEN 'global' THEN (
        SELECT first_at FROM (
          SELECT min(credited_at) AS first_at FROM referrals
          WHERE referrer_id = u.id AND status = 'credited' AND country IS NOT NULL GROUP BY country
        ) countries ORDER BY first_at OFFSET 2 LIMIT 1
      )
    END,
    now()
  )
FROM users u CROSS JOIN LATERAL unnest(u.achievements) AS earned(key)
WHERE earned.key IN ('pioneer', 'viral', 'global')
ON CONFLICT DO NOTHING;
